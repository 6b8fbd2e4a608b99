// Package policy_test tries the rules of the guide "Reading a plan" on plans of a real terraform, with the library of
// Open Policy Agent, as conftest has it. It is a module of its own, so that nothing else needs that library.
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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const guide = "guides/policy-as-code"

func TestMain(m *testing.M) { acctest.Main(m) }

// index matches a node with its index: which of the oldest nodes leaves depends on which was made first.
var index = regexp.MustCompile(`web-\d+`)

// judge returns the answers of the rules about a plan.
func judge(t *testing.T, rule string, plan []byte) []string {
	t.Helper()
	var input any
	require.NoError(t, json.Unmarshal(plan, &input))
	file := filepath.Join(workspace.Root(), "examples", guide, "policy.rego")
	found, err := rego.New(rego.Query("data.main."+rule), rego.Load([]string{file}, nil), rego.Input(input)).Eval(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1, rule)
	var messages []string
	for _, m := range found[0].Expressions[0].Value.([]any) {
		messages = append(messages, index.ReplaceAllString(fmt.Sprint(m), "web-N"))
	}
	slices.Sort(messages)
	return messages
}

// TestPolicy: the results of the guide's rules and checks for plans.
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
		require.NoError(t, errors.Join(err, more))
		return []byte(shown), strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
	}
	const attachment = "stackpolicy_placement_attachment.web"
	server := func(i int) string { return fmt.Sprintf(`-replace=openstack_compute_instance_v2.web["web-%d"]`, i) }
	taken := func(n int) string { return fmt.Sprintf("the plan takes %d servers out of service; 2 are allowed", n) }
	checks := []string{"fewer nodes than its min", "have no deletion attachment", "The rollout is held"}
	for _, step := range []struct {
		name      string
		before    func()
		variables []string
		flags     []string
		deny      []string
		warn      []string
		checks    []int // indices in the list above
		apply     bool
	}{
		{name: "create without drains", variables: []string{"drain=false"}, apply: true, checks: []int{1}},
		{name: "undrained", variables: []string{"image=debian-13", "drain=false"}, checks: []int{1}, deny: []string{
			`openstack_compute_instance_v2.web["web-N"] leaves undrained`,
			`openstack_compute_instance_v2.web["web-N"] leaves undrained`,
		}},
		{name: "drains are attached", apply: true},
		{name: "nothing to do"},
		{name: "a batch of two", variables: []string{"image=debian-13"}},
		{name: "a batch of three", variables: []string{"image=debian-13", "max_batch_size=3"}, deny: []string{taken(3)}},
		{name: "a growth", variables: []string{"size=8"}},
		{name: "two by hand", flags: []string{server(0), server(1)}},
		{name: "three by hand", flags: []string{server(0), server(1), server(2)}, deny: []string{taken(3)}},
		{name: "another user_data", variables: []string{"user_data=x"}, deny: []string{taken(6)}},
		{name: "a destroy", flags: []string{"-destroy"}, deny: []string{attachment + " forgets its nodes", taken(6)}},
		{name: "below a min", variables: []string{`zones=[{name="az-1",min=1},{name="az-2",min=1},{name="az-3",min=3}]`},
			deny: []string{attachment + " leaves RegionOne/az-3 with 2 nodes; its min is 3"}, checks: []int{0}},
		{name: "held", warn: []string{attachment + ": held: 4 of 6 nodes are unhealthy, more than stop_above (50%) allows"}, checks: []int{2}, before: func() {
			for _, s := range slices.Collect(maps.Values(c.Servers(t)))[:4] {
				c.Reset(t, "RegionOne", s.ID)
			}
		}},
	} {
		if step.before != nil {
			step.before()
		}
		shown, text := plan(step.variables, step.flags)
		assert.Equal(t, step.deny, judge(t, "deny", shown), "%s: denied for", step.name)
		assert.Equal(t, step.warn, judge(t, "warn", shown), "%s: warned of", step.name)
		for i, check := range checks {
			assert.Equal(t, slices.Contains(step.checks, i), strings.Contains(text, check), "%s: the check %q fails", step.name, check)
		}
		if step.apply {
			_, err := w.Run(t.Context(), "apply", "-input=false", "a.tfplan")
			require.NoError(t, err)
		}
	}
	postcondition(t, c, w)
}

// TestRelease: the rules name the volumes of a slot that is given up, in a plan of terraform.
func TestRelease(t *testing.T) {
	t.Parallel()
	shown, err := os.ReadFile(filepath.Join(workspace.Root(), "internal", "planview", "testdata", "release.json"))
	require.NoError(t, err)
	const volume = `openstack_blockstorage_volume_v3.web["web-N"] is destroyed, and may_destroy does not name it`
	assert.Equal(t, []string{volume, volume}, judge(t, "deny", shown), "denied for")
}

// snippet matches the postcondition of the guide.
var snippet = regexp.MustCompile(`(?s)\n  lifecycle \{\n    postcondition \{.*?\n  \}\n`)

// postcondition checks that the guide's postcondition refuses a plan while most servers are in ERROR, and no other plan.
func postcondition(t *testing.T, c *acctest.Cloud, w *workspace.Workspace) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(workspace.Root(), "docs", "guides", "reading-a-plan.md"))
	require.NoError(t, err)
	text := snippet.FindString(string(page))
	file := filepath.Join(w.Dir, "main.tf")
	config, err := os.ReadFile(file)
	const attachment = "resource \"stackpolicy_placement_attachment\" \"web\" {\n"
	if err != nil || text == "" || strings.Count(string(config), attachment) != 1 {
		t.Fatalf("%v, the guide has %q", err, text)
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(config), attachment, attachment+text, 1)), 0o600))
	_, err = w.Run(t.Context(), "plan", "-input=false", "-no-color")
	assert.ErrorContains(t, err, "The cluster would be held", "most servers are in ERROR")
	for _, s := range c.Fake.Servers("RegionOne") {
		c.Fake.UpdateServer("RegionOne", s.ID, func(s *fakecloud.Server) { s.Status = "ACTIVE" })
	}
	_, err = w.Run(t.Context(), "plan", "-input=false", "-no-color")
	assert.NoError(t, err, "all servers are well")
}
