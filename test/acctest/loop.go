package acctest

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Loop is a cluster that goes through its life in a real terraform.
type Loop struct {
	*workspace.Workspace
	Cloud *Cloud
}

// Places writes regions in HCL: "one: az-1 az-2 w200 cap5; two: az-1".
func Places(text string) string {
	var regions []string
	for part := range strings.SplitSeq(text, "; ") {
		name, rest, _ := strings.Cut(part, ": ")
		var zones, more []string
		for word := range strings.FieldsSeq(rest) {
			switch {
			case strings.HasPrefix(word, "cap="), strings.HasPrefix(word, "weight="):
				more = append(more, strings.Replace(word, "=", " = ", 1))
			default:
				zones = append(zones, fmt.Sprintf("{ name = %q }", word))
			}
		}
		more = append([]string{fmt.Sprintf("name = %q", name), "zones = [" + strings.Join(zones, ", ") + "]"}, more...)
		regions = append(regions, "{ "+strings.Join(more, ", ")+" }")
	}
	return "[" + strings.Join(regions, ", ") + "]"
}

// Attached is a cluster under placement: servers made from the attachment.
func Attached(c *Cloud, size int, regions, more string) string {
	return Placement(c, size, regions, more) + Made(c, "")
}

// Placement is only the attachment.
func Placement(c *Cloud, size int, regions, more string) string {
	return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "web" {
  cluster           = %q
  node_name_pattern = "{cluster}{index}"
  desired_capacity  = %d
  regions           = %s
  %s
}
`, c.Prefix, size, regions, more)
}

// Made are the servers of the attachment, with more arguments.
func Made(c *Cloud, more string) string { return Servers(c.Bare() + "\n  " + more) }

// Servers are the servers of the attachment, with arguments that also name the image and the flavor.
func Servers(arguments string) string {
	return fmt.Sprintf(`
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  %s
}
`, arguments)
}

// First creates new servers before it destroys old ones.
const First = "lifecycle {\n    create_before_destroy = true\n  }"

// Drained are the deletion attachments of the servers, with more arguments.
func Drained(more string) string {
	return fmt.Sprintf(`
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  %s
}
`, more)
}

// Awaited is the readiness attachment that waits for those servers, with more arguments.
func Awaited(c *Cloud, more string) string {
	return fmt.Sprintf(`
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = %q
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web]
  %s
}
`, c.Prefix, more)
}

// Generations are the resources that Again refers to.
const Generations = `
resource "terraform_data" "generation" {
  for_each = stackpolicy_placement_attachment.web.nodes
  input    = each.value.generation
}`

// Again is a line for the lifecycle of servers: they are made again with each new generation of their nodes.
const Again = "replace_triggered_by = [terraform_data.generation[each.key]]"

// Bare returns the arguments in HCL of a server that is up as soon as possible: an image, the smallest flavor, and no
// network.
func (c *Cloud) Bare() string {
	return fmt.Sprintf("image_id     = %q\n  flavor_id    = %q\n  network_mode = \"none\"", c.Image, c.Flavor)
}

// Must runs terraform, which must not fail, and returns its output.
func Must(t testing.TB, w *workspace.Workspace, args ...string) string {
	t.Helper()
	text, err := w.Run(t.Context(), args...)
	require.NoError(t, err)
	return text
}

// Apply applies the configuration, which must not fail, and returns the output.
func Apply(t testing.TB, w *workspace.Workspace, variables ...string) string {
	t.Helper()
	text, err := w.Apply(t.Context(), variables...)
	require.NoError(t, err)
	return text
}

// Finish applies until nothing is left to do, and returns the output of all applies.
func Finish(t testing.TB, apply func() string) (all string) {
	t.Helper()
	for range 12 {
		text := apply()
		if all += text; strings.Contains(text, "No changes.") {
			return all
		}
	}
	require.Fail(t, "something is left", all)
	return all
}

// Step applies a configuration and checks the servers in the cloud: which were created and deleted, and that all
// others are the same. The plan after it must be empty.
func (l Loop) Step(t *testing.T, name, config string, created, deleted string) {
	t.Helper()
	l.Batch(t, name, config, created, deleted)
	l.Settled(t, name)
}

// Batch does the same, but the plan after it has another batch.
func (l Loop) Batch(t *testing.T, name, config string, created, deleted string) {
	t.Helper()
	before := l.IDs(t)
	require.NoError(t, l.Write(config))
	_, err := l.Apply(t.Context())
	require.NoError(t, err, name)
	after := l.IDs(t)
	assert.Equal(t, created, Difference(after, before), "%s: created", name)
	assert.Equal(t, deleted, Difference(before, after), "%s: deleted", name)
}

// Settled fails unless the next plan is empty.
func (l Loop) Settled(t *testing.T, name string) {
	t.Helper()
	text, err := l.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 2 {
		t.Fatalf("%s: the next plan is not empty:\n%s", name, text)
	} else if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// IDs lists the servers in the cloud, as "name=id".
func (l Loop) IDs(t *testing.T) []string {
	t.Helper()
	var list []string
	for name, s := range l.Cloud.Servers(t) {
		list = append(list, name+"="+s.ID)
	}
	return list
}

// Difference lists the servers of a that are not in b, sorted by number.
func Difference(a, b []string) string {
	var names []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			name, _, _ := strings.Cut(s, "=")
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return strings.Join(names, " ")
}

// FiveZones returns two regions with three and two zones, or skips the test.
func (c *Cloud) FiveZones(t testing.TB) (one, two string, a, b []string) {
	t.Helper()
	one, two = c.TwoRegions(t)
	a, b = c.Zones(t, one), c.Zones(t, two)
	if len(a) < 3 || len(b) < 2 {
		t.Skipf("needs regions with three and two zones, and the cloud has %v and %v", a, b)
	}
	return one, two, a, b
}

// Resources lists the attributes of the resources of a type in Terraform's state.
func Resources(t testing.TB, w *workspace.Workspace, kind string) (list []map[string]any) {
	t.Helper()
	state, err := w.State(t.Context())
	require.NoError(t, err)
	for _, r := range state.Values.RootModule.Resources {
		if r.Type == kind {
			list = append(list, r.AttributeValues)
		}
	}
	return list
}

// Says matches a text, however terraform breaks its lines and frames them.
func Says(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│╷╵]+`))
}
