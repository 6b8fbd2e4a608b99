package planview_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the plans, and the texts about them")

func TestMain(m *testing.M) { acctest.Main(m) }

func attached(lines ...string) string {
	return "resource \"stackpolicy_placement_attachment\" \"web\" {\n  cluster = \"web\"\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

func batch(lines ...string) string {
	return "update {\n    require_in_service = false\n    " + strings.Join(lines, "\n    ") + "\n  }"
}

// planCase is a plan of a running cluster: the configurations before and after.
type planCase struct {
	name   string
	before []string // empty if there is nothing before
	happen func(*fakecloud.Cloud, map[string]string)
	twice  []string // configuration of a second apply; nil without one
	fails  bool     // reports whether that apply fails, because Nova makes no more servers
	after  []string // nil if the attachment is destroyed
	extra  string   // resources next to the attachment
	made   string   // servers next to the attachment, before
	remade string   // servers next to the attachment, after
	large  bool     // reports whether the plan is too large to be kept
}

const (
	threeZones = `regions = [{ zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]`
	oldest     = `deletion { criteria = "OLDEST_FIRST" }`
	bookworm   = `template = { image = "debian-12" }`
	trixie     = `template = { image = "debian-13" }`
	wide       = `regions = [{ name = "RegionOne", weight = 200, zones = [{ name = "az-1", min = 1 }, { name = "az-2", cap = 70 }, { name = "az-3" }] }, { ` +
		`name = "RegionTwo" }]`
	twoRegions = `regions = [{ name = "RegionOne", weight = 200, cap = 6, zones = [{ name = "az-1", min = 1 }, { name = "az-2", cap = 2 }, { name = "az-3" ` +
		`}] }, { name = "RegionTwo" }]`
)

func planCases() []planCase {
	rolling := batch(`causes         = ["UNHEALTHY", "TEMPLATE"]`, `max_batch_size = 2`)
	image := func(name, line string) planCase {
		update := batch(`causes         = ["TEMPLATE"]`, `max_batch_size = 2`, line)
		return planCase{name: name, before: []string{"desired_capacity = 6", threeZones, bookworm, oldest, update},
			after: []string{"desired_capacity = 6", threeZones, trixie, oldest, update}}
	}
	percent := batch(`causes         = ["TEMPLATE"]`, `max_batch_size = "5%"`)
	return []planCase{
		{name: "create", after: []string{"desired_capacity = 5", twoRegions}},
		{name: "grow", before: []string{"desired_capacity = 4", twoRegions}, after: []string{"desired_capacity = 9", twoRegions}},
		{name: "shrink", before: []string{"desired_capacity = 7", threeZones, oldest}, after: []string{"desired_capacity = 5", threeZones, oldest}},
		{name: "batch", before: []string{"desired_capacity = 6", threeZones, bookworm, oldest, rolling},
			after: []string{"desired_capacity = 6", threeZones, trixie, oldest, rolling}},
		image("canary", `target         = "20%"`),
		image("in-place", `method         = "IN_PLACE"`),
		image("recreate", `method         = "RECREATE"`),
		{name: "return", before: []string{"desired_capacity = 6", threeZones, bookworm, oldest, rolling},
			twice: []string{"desired_capacity = 6", threeZones, trixie, oldest, rolling},
			after: []string{"desired_capacity = 6", threeZones, bookworm, oldest, rolling}},
		{name: "repair", before: []string{"desired_capacity = 6", threeZones, rolling}, after: []string{"desired_capacity = 6", threeZones, rolling},
			happen: func(cloud *fakecloud.Cloud, servers map[string]string) {
				cloud.UpdateServer("RegionOne", servers["web-1"], func(s *fakecloud.Server) { s.Status = "ERROR" })
			}},
		{name: "dropped-place", before: []string{"desired_capacity = 6", threeZones},
			after: []string{"desired_capacity = 6", `regions = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]`}},
		{name: "emptied-place", before: []string{"desired_capacity = 6", threeZones, oldest},
			after: []string{"desired_capacity = 4", `regions = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]`, oldest}},
		{name: "import", after: []string{"desired_capacity = 3", threeZones},
			extra: "import {\n  to = stackpolicy_placement_attachment.web\n  id = \"web\"\n}\n",
			happen: func(cloud *fakecloud.Cloud, _ map[string]string) {
				for i := range 3 {
					cloud.AddServers("RegionOne", fakecloud.Server{Name: fmt.Sprintf("web-%d", i), Zone: fmt.Sprintf("az-%d", i%2+1)})
				}
			}},
		{name: "same", before: []string{"desired_capacity = 3", threeZones}, after: []string{"desired_capacity = 3", threeZones}},
		// Applied twice, so that it does not matter whether the provider reads resources before it destroys them:
		// OpenTofu does, and Terraform does not.
		{name: "destroy", before: []string{"desired_capacity = 3", threeZones}, twice: []string{"desired_capacity = 3", threeZones}},
		// More nodes than a list shows at once.
		{name: "hundreds", large: true, before: []string{"desired_capacity = 350", wide, bookworm, oldest, percent},
			after: []string{"desired_capacity = 360", wide, trixie, oldest, percent}},
	}
}

// TestPlans: Terraform, or OpenTofu, prints the plans in testdata, and they are described as in testdata: changes of
// servers that no node change needs are at the top. -update rewrites both.
func TestPlans(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	for _, c := range append(planCases(), serverCases()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := c.plan(t)
			if !c.large {
				golden(t, c.name+".json", trim(t, text))
			}
			describe(t, c.name, text)
		})
	}
}

// TestLog: the log of a real plan has the address of an attachment as the plan has it, and each warning is shown
// once.
func TestLog(t *testing.T) {
	t.Parallel()
	w := acctest.NewFake(t, fakecloud.Config{}).Workspace(t, "")
	config := func(lines ...string) string {
		return strings.Replace(attached(lines...), "\n", "\n  for_each = toset([\"a b\"])\n", 1)
	}
	require.NoError(t, w.Write(config("desired_capacity = 6", threeZones)))
	acctest.Apply(t, w)
	require.NoError(t, w.Write(config("desired_capacity = 6",
		`regions = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]`, `deletion { candidates = ["nobody"] }`)))
	log := acctest.Must(t, w, "plan", "-input=false", "-json", "-out=a.tfplan")
	text := acctest.Must(t, w, "show", "-json", "a.tfplan")
	view := readable(t, []byte(text))
	require.NoError(t, planview.AddWarnings(view, []byte(log)))
	got := planview.Markdown(view)
	for _, title := range []string{"A place with nodes is no longer listed", "A candidate is not there"} {
		assert.Equal(t, 1, strings.Count(got, "- **"+title+".**"), "how often %q is in:\n%s", title, got)
	}
}

// plan makes the plan with terraform.
func (c planCase) plan(t *testing.T) []byte {
	t.Helper()
	cloud := acctest.NewFake(t, fakecloud.Config{})
	first := ""
	if c.before != nil {
		first = attached(c.before...)
	}
	w := cloud.Workspace(t, first+c.provided(cloud, c.made))
	servers := map[string]string{}
	if c.before != nil {
		acctest.Apply(t, w)
	}
	for _, s := range cloud.Fake.Servers("RegionOne") {
		servers[s.Name] = s.ID
	}
	if c.before != nil && c.made == "" {
		day := time.Date(2026, time.March, 1, 8, 0, 0, 0, time.UTC)
		for name, n := range nodesOf(t, w) {
			servers[name] = cloud.Fake.AddServers(n.Region, fakecloud.Server{Name: name, Zone: n.Zone, Created: day.AddDate(0, 0, n.Index)})[0]
		}
	}
	if c.twice != nil {
		require.NoError(t, w.Write(attached(c.twice...)+c.provided(cloud, c.made)))
		if c.fails {
			cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: "POST", Path: "/servers", Status: http.StatusForbidden, Times: 2})
		}
		_, err := w.Apply(t.Context())
		require.Equal(t, c.fails, err != nil, "the second apply: %v", err)
	}
	if c.happen != nil {
		c.happen(cloud.Fake, servers)
	}
	second := c.extra + c.provided(cloud, c.remade)
	if c.after != nil {
		second += attached(c.after...)
	}
	require.NoError(t, w.Write(second))
	acctest.Must(t, w, "plan", "-no-color", "-input=false", "-out=a.tfplan")
	return []byte(acctest.Must(t, w, "show", "-json", "-no-color", "a.tfplan"))
}

// provided returns servers, with the block of terraform-provider-openstack if it makes the servers of before.
func (c planCase) provided(cloud *acctest.Cloud, servers string) string {
	if strings.Contains(c.made, "\"openstack_") {
		servers = cloud.ProviderBlock("openstack") + servers
	}
	return strings.NewReplacer("IMAGE", cloud.Image, "FLAVOR", cloud.Flavor).Replace(servers)
}

type nodeAt struct {
	Index        int
	Region, Zone string
}

// nodesOf returns the nodes of the attachment in a workspace.
func nodesOf(t *testing.T, w *workspace.Workspace) (nodes map[string]nodeAt) {
	t.Helper()
	text, err := json.Marshal(acctest.Resources(t, w, "stackpolicy_placement_attachment")[0]["nodes"])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &nodes))
	return nodes
}

// trim keeps the parts of a plan that planview may read, without parts that differ between versions of Terraform.
func trim(t *testing.T, text []byte) string {
	t.Helper()
	type change struct {
		Actions         json.RawMessage `json:"actions"`
		Before          any             `json:"before"`
		After           any             `json:"after"`
		AfterUnknown    any             `json:"after_unknown"`
		BeforeSensitive any             `json:"before_sensitive"`
		AfterSensitive  any             `json:"after_sensitive"`
		Importing       any             `json:"importing,omitempty"`
		ReplacePaths    any             `json:"replace_paths,omitempty"`
	}
	type resource struct {
		Address      string `json:"address"`
		Module       string `json:"module_address,omitempty"`
		Mode         string `json:"mode"`
		Type         string `json:"type"`
		Deposed      string `json:"deposed,omitempty"`
		ActionReason string `json:"action_reason,omitempty"`
		Change       change `json:"change"`
	}
	var plan struct {
		FormatVersion   string     `json:"format_version"`
		ResourceChanges []resource `json:"resource_changes"`
	}
	require.NoError(t, json.Unmarshal(text, &plan))
	plan.FormatVersion = "1.2"
	for _, r := range plan.ResourceChanges {
		for _, values := range []any{r.Change.Before, r.Change.After, r.Change.AfterUnknown, r.Change.BeforeSensitive, r.Change.AfterSensitive} {
			if m, ok := values.(map[string]any); ok && r.Type == "terraform_data" {
				delete(m, "store") // since 1.16
			}
		}
	}
	for i, r := range plan.ResourceChanges {
		if r.Type == "stackpolicy_placement_attachment" {
			continue
		}
		// Only the names of changed arguments are read of other resources; their ids differ between runs.
		c := &plan.ResourceChanges[i].Change
		before, _ := c.Before.(map[string]any)
		after, _ := c.After.(map[string]any)
		for name := range before {
			if reflect.DeepEqual(before[name], after[name]) {
				delete(before, name)
				delete(after, name)
			}
		}
		c.BeforeSensitive, c.AfterSensitive = false, false
		if !bytes.Equal(c.Actions, []byte(`["update"]`)) {
			c.Before, c.After, c.AfterUnknown = nil, nil, nil
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(plan))
	return b.String()
}

// describe compares the Markdown with testdata.
func describe(t *testing.T, name string, plan []byte) {
	t.Helper()
	view := readable(t, plan)
	golden(t, name+".md", planview.Markdown(view))
	const server, fork = "openstack_compute_instance_v2", "opentelekomcloud_compute_instance_v2"
	forked := readable(t, bytes.ReplaceAll(plan, []byte(server), []byte(fork)))
	assert.Equal(t, strings.ReplaceAll(planview.Markdown(view), server, fork), planview.Markdown(forked), "%s: servers of another type", name)
}

// readable returns what is read of a plan.
func readable(t *testing.T, plan []byte) planview.Plan {
	t.Helper()
	view, err := planview.Read(plan)
	require.NoError(t, err)
	return view
}

// golden compares a text with a file, or writes the file with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "%s is out of date; -update rewrites it", path)
}
