// Package policy_test holds the rules of the guide "Policy as code" to plans that a
// real terraform makes, with the library of Open Policy Agent, as conftest has it. It is
// a module of its own, so that nobody else needs that library.
package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

const guide = "guides/policy-as-code"

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

// index is that of a node: which of the oldest leaves depends on which was made first.
var index = regexp.MustCompile(`web-\d+`)

// judge asks the rules about a plan.
func judge(t *testing.T, rule string, plan []byte) []string {
	t.Helper()
	var input any
	if err := json.Unmarshal(plan, &input); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(workspace.Root(), "examples", guide, "policy.rego")
	found, err := rego.New(rego.Query("data.main."+rule), rego.Load([]string{file}, nil), rego.Input(input)).Eval(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", rule, found, err)
	}
	var messages []string
	for _, m := range found[0].Expressions[0].Value.([]any) {
		messages = append(messages, index.ReplaceAllString(fmt.Sprint(m), "web-N"))
	}
	slices.Sort(messages)
	return messages
}

// TestPolicy: what the rules and the checks of the guide say of plans.
func TestPolicy(t *testing.T) {
	c := acctest.NewFake(t, fakecloud.Config{})
	c.Fake.AddImage(fakecloud.Image{Name: "debian-12"})
	c.Fake.AddImage(fakecloud.Image{Name: "debian-13"})
	c.Prefix = "web-"
	w := c.Example(t, guide)
	plan := func(variables, flags []string) ([]byte, string) {
		t.Helper()
		args := append([]string{"plan", "-input=false", "-no-color", "-out=a.tfplan"}, flags...)
		text, err := w.Run(t.Context(), append(args, workspace.Vars(variables)...)...)
		shown, more := w.Run(t.Context(), "show", "-json", "a.tfplan")
		if err := errors.Join(err, more); err != nil {
			t.Fatal(err)
		}
		return []byte(shown), strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
	}
	apply := func() {
		t.Helper()
		if _, err := w.Run(t.Context(), "apply", "-input=false", "a.tfplan"); err != nil {
			t.Fatal(err)
		}
	}
	const attachment = "stackpolicy_placement_attachment.web"
	server := func(i int) string { return fmt.Sprintf(`-replace=openstack_compute_instance_v2.web["web-%d"]`, i) }
	taken := func(n int) string { return fmt.Sprintf("the plan takes %d servers out of service; 2 are allowed", n) }
	checks := []string{"nodes out of service; 2 are allowed", "fewer nodes than its min", "have no deletion attachment", "The rollout is held"}
	for _, step := range []struct {
		name      string
		before    func()
		variables []string
		flags     []string
		deny      []string
		warn      []string
		checks    []int // of the list above
		apply     bool
	}{
		{name: "create without drains", variables: []string{"drain=false"}, apply: true, checks: []int{2}},
		{name: "undrained", variables: []string{"image=debian-13", "drain=false"}, checks: []int{2}, deny: []string{
			`openstack_compute_instance_v2.web["web-N"] leaves undrained`,
			`openstack_compute_instance_v2.web["web-N"] leaves undrained`,
		}},
		{name: "drains are attached", apply: true},
		{name: "nothing to do"},
		{name: "a batch of two", variables: []string{"image=debian-13"}},
		{name: "a batch of three", variables: []string{"image=debian-13", "max_batch_size=3"}, deny: []string{taken(3)}, checks: []int{0}},
		{name: "a growth", variables: []string{"size=8"}},
		{name: "two by hand", flags: []string{server(0), server(1)}},
		{name: "three by hand", flags: []string{server(0), server(1), server(2)}, deny: []string{taken(3)}},
		{name: "another user_data", variables: []string{"user_data=x"}, deny: []string{taken(6)}},
		{name: "a destroy", flags: []string{"-destroy"}, deny: []string{attachment + " forgets its nodes", taken(6)}},
		{name: "below a min", variables: []string{`zones=[{name="az-1",min=1},{name="az-2",min=1},{name="az-3",min=3}]`},
			deny: []string{attachment + " leaves RegionOne/az-3 with 2 nodes; its min is 3"}, checks: []int{1}},
		{name: "held", warn: []string{attachment + ": held: 4 of 6 nodes are unhealthy, more than stop_above (50%) allows"}, checks: []int{3}, before: func() {
			for _, s := range slices.Collect(maps.Values(c.Servers(t)))[:4] {
				c.Reset(t, "RegionOne", s.ID)
			}
		}},
	} {
		if step.before != nil {
			step.before()
		}
		shown, text := plan(step.variables, step.flags)
		if got := judge(t, "deny", shown); !slices.Equal(got, step.deny) {
			t.Errorf("%s: denied for %q, want %q", step.name, got, step.deny)
		}
		if got := judge(t, "warn", shown); !slices.Equal(got, step.warn) {
			t.Errorf("%s: warned of %q, want %q", step.name, got, step.warn)
		}
		for i, check := range checks {
			if said := strings.Contains(text, check); said != slices.Contains(step.checks, i) {
				t.Errorf("%s: the check %q fails: %v", step.name, check, said)
			}
		}
		if step.apply {
			apply()
		}
	}
	postcondition(t, w)
}

// TestRelease: volumes of a slot that is given up are named, in a plan that terraform has made.
func TestRelease(t *testing.T) {
	t.Parallel()
	shown, err := os.ReadFile(filepath.Join(workspace.Root(), "internal", "planview", "testdata", "release.json"))
	if err != nil {
		t.Fatal(err)
	}
	const volume = `openstack_blockstorage_volume_v3.web["web-N"] is destroyed, and may_destroy does not name it`
	if got := judge(t, "deny", shown); !slices.Equal(got, []string{volume, volume}) {
		t.Errorf("denied for %q", got)
	}
}

// snippet is the postcondition of the guide.
var snippet = regexp.MustCompile(`(?s)\n  lifecycle \{\n    postcondition \{.*?\n  \}\n`)

// postcondition: with the one of the guide a plan of too large a batch is refused, and
// another is not.
func postcondition(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(workspace.Root(), "docs", "guides", "policy-as-code.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := snippet.FindString(string(page))
	file := filepath.Join(w.Dir, "main.tf")
	config, err := os.ReadFile(file)
	const attachment = "resource \"stackpolicy_placement_attachment\" \"web\" {\n"
	if err != nil || text == "" || strings.Count(string(config), attachment) != 1 {
		t.Fatalf("%v, the guide has %q", err, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(config), attachment, attachment+text, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(t.Context(), "plan", "-input=false", "-no-color", "-var=image=debian-13"); err != nil {
		t.Errorf("a batch of two: %v", err)
	}
	_, err = w.Run(t.Context(), "plan", "-input=false", "-no-color", "-var=image=debian-13", "-var=max_batch_size=3")
	if err == nil || !strings.Contains(err.Error(), "This apply takes more than 2 nodes.") {
		t.Errorf("a batch of three: %v", err)
	}
}
