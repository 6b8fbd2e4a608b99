package examples_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Configurations that people copy, and where their lines are.
const (
	production = "production"
	substitute = "clusters/first"
	recreate   = "clusters/database"

	unasked = "ACTIVE is taken for service"
)

var lines = map[string]string{production: "main.tf", substitute: "../../modules/cluster/main.tf", recreate: "../../modules/stateful/main.tf"}

// forgotten lists lines that somebody forgets in a copy: a regular expression of the line, the text instead of it, and the words of
// the plan or the refusal before it costs anything; "" for a line whose absence costs no server.
var forgotten = []struct{ folder, line, put, says string }{
	{production, `  name  +=.*each.key\n`, "  name = \"$${each.key}x\"\n", "Write name = each.key"},
	{production, `  region  +=.*each.value.region\n`, "", "Write region = each.value.region"},
	{production, `  availability_zone.*\n`, "", "Write availability_zone = each.value.zone"},
	{production, `image     = "debian-12"`, `# "debian-12"`, "Neither a boot device, image ID, or image name"},
	{production, `  flavors   = .*\n`, "", "Neither a flavor_id or flavor_name could be determined"},
	{production, `image_id  +=.*`, `image_name = "debian-12"`, "Write image_id = each.value.image_id"},
	{production, `flavor_id  +=.*`, `flavor_name = "m1.small"`, ""},
	{production, `  user_data  +=.*each.*\n`, "", ""},
	{production, `for_each +=.*\n  name `, "for_each = { for name, node in local.nodes : name => node if node.index > 0 }\n  name ", "(has no server)"},
	{production, ` *create_before_destroy.*old servers.*\n`, "", ""},
	{production, ` *replace_triggered_by.*\n`, "", ""},
	{production, ` *ignore_changes +=[^\]]*image_id[^\]]*\]\n`, "", ""},
	{production, ` *region .*provider's.*\n`, "", "has no server"},
	{production, ` *create_before_destroy.*drained before.*\n`, "", ""},
	{production, `  depends_on .*drains.*\n`, "", "A drain would begin too early"},
	{production, `(readiness_attachment" "web" \{\n)`, "$1  count = 0\n", "no readiness attachment marks the servers"},
	{production, `servers    += openstack_compute_instance_v2.web`, "servers = {}", "(has no server)"},
	{production, `  timeout    = .*\n\n  http \{\n.*\n  \}\n`, "", unasked},
	{production, `(?s)  update \{.*?\n  \}\n`, "", ""},
	{production, `(?s)  health \{.*?\n    \}\n  \}\n`, "", ""},

	{substitute, `  name  +=.*each.key\n`, "  name = \"$${each.key}x\"\n", "Write name = each.key"},
	{substitute, `  availability_zone.*\n`, "", "Write availability_zone = each.value.zone"},
	{substitute, `image_id   +=.*`, `image_name = var.image`, "Write image_id = each.value.image_id"},
	{substitute, ` *replace_triggered_by.*\n`, "", ""},
	{substitute, ` *ignore_changes +=[^\]]*image_id[^\]]*\]\n`, "", ""},
	{substitute, `(?s)(grace_period *= local.given.drain.grace_period.*?)  lifecycle \{\n    create_before_destroy = true\n  \}\n`, "$1", ""},
	{substitute, `  depends_on = \[stackpolicy_deletion_attachment.node\]\n`, "", "A drain would begin too early"},
	{substitute, `(?s)  dynamic "http" \{\n    for_each = local.has.readiness.*?\n  \}\n`, "", unasked},

	{recreate, `(  name +=) each.key(\n  region .*\n  availability_zone = local)`, "$1 \"$${each.key}x\"$2", "Write name = each.key"},
	{recreate, `image_id   +=.*`, `image_name = var.image`, "Write image_id = each.value.image_id"},
	{recreate, ` *replace_triggered_by.*generation.*\n`, "", "Write replace_triggered_by"},
	{recreate, ` *ignore_changes +=[^\]]*image_id[^\]]*\]\n`, "", ""},
	{recreate, `  depends_on = \[stackpolicy_deletion_attachment.node\]\n`, "", ""},
}

// serving counts the servers that serve: they run an image that works, and are not drained.
type serving struct {
	mu          sync.Mutex
	broken      string
	by          map[string]int // by region
	now, fewest int
}

func (s *serving) see(region string, list []fakecloud.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, server := range list {
		if server.Status == "ACTIVE" && server.ImageID != s.broken && server.TaskState != "deleting" && server.Metadata[openstack.DrainedKey] == "" {
			n++
		}
	}
	s.now += n - s.by[region]
	s.by[region], s.fewest = n, min(s.fewest, s.now)
}

// begin begins to count, and returns the number of servers that serve.
func (s *serving) begin() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fewest = s.now
	return s.now
}

// least returns the smallest number of servers that served since.
func (s *serving) least() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fewest
}

// TestForgotten: each line is forgotten once, together with an image that never serves, which is applied twice and taken back.
// No apply costs more servers in service than a batch, and what costs any is named by a plan before.
func TestForgotten(t *testing.T) {
	t.Parallel()
	for i, row := range forgotten {
		t.Run(fmt.Sprintf("%d, %s, %s", i, row.folder, row.line), func(t *testing.T) {
			runs.In(t, runs.Some(i%12 == 0, runs.Sweep, runs.Night))
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), row.folder)
			size, batch, own := 6, 1, 0 // own is the cost of the method by itself
			switch row.folder {
			case production:
				batch = 3
				e.produce(t)
			case substitute:
				e.edit(t, `"2m"`, `"3s"`)
			case recreate:
				size, own = 3, 1
				e.edit(t, `, zone = "nova"`, "")
				e.edit(t, "port = 5432", "url = var.health_url, timeout = \"3s\"")
				e.file(t, "health.tf", "variable \"health_url\" {}\n")
			}
			watched := &serving{broken: e.c.Named(t, "debian-broken"), by: map[string]int{}}
			for _, region := range e.c.Regions(t) {
				e.c.Fake.Watch(region, func(list []fakecloud.Server) { watched.see(region, list) })
			}
			file := filepath.Join(e.Dir, lines[row.folder])
			right := read(t, file)
			once := regexp.MustCompile(row.line).FindStringIndex(right)
			require.NotNil(t, once, row.line)
			e.file(t, lines[row.folder], right[:once[0]]+regexp.MustCompile(row.line).ReplaceAllString(right[once[0]:once[1]], row.put)+right[once[1]:])
			said, named := "", false
			try := func() error {
				text, err := e.Run(t.Context(), "plan", "-input=false", "-no-color")
				if said += text; err != nil {
					said += err.Error()
				}
				if named = row.says != "" && acctest.Says(row.says).MatchString(said); err != nil {
					return err
				}
				before := watched.begin()
				text, err = e.Apply(t.Context())
				least := watched.least()
				assert.True(t, named || least >= before-own, "%d of %d served before a plan named the line:\n%s", least, before, said)
				assert.GreaterOrEqual(t, least, before-batch, "servers that served in an apply")
				assert.True(t, before < size || row.says == unasked || least >= size-batch, "%d of %d served", least, before)
				if said += text; err != nil {
					said += err.Error()
				}
				return err
			}
			if try() == nil || len(e.servers(t)) == size {
				for _, image := range []string{"debian-broken", "debian-broken", "debian-13"} {
					main := read(t, filepath.Join(e.Dir, "main.tf"))
					e.file(t, "main.tf", regexp.MustCompile(`"debian-(12|13|broken)"`).ReplaceAllString(main, `"`+image+`"`))
					_ = try()
				}
			}
			assert.Equal(t, row.says != "", row.says != "" && acctest.Says(row.says).MatchString(said), "the line is named: %s", said)
			image := regexp.MustCompile(`"debian-[^"]+"`).FindString(read(t, filepath.Join(e.Dir, "main.tf")))
			e.file(t, lines[row.folder], right)
			if row.folder == production {
				e.edit(t, `"debian-12"`, image)
			}
			if len(e.servers(t)) > 0 { // as the error says: Terraform orders a destruction by what it has stored
				acctest.Must(t, e.Workspace, "apply", "-refresh-only", "-auto-approve", "-input=false", "-no-color")
			}
			acctest.Finish(t, func() string { return acctest.Apply(t, e.Workspace) })
			assert.Equal(t, size, watched.begin(), "servers in the end")
		})
	}
}

// produce fits the production cluster to the fake cloud.
func (e example) produce(t *testing.T) {
	t.Helper()
	_, drain := acctest.StartConsumer(t, 0)
	e.Env = append(e.Env, "TF_VAR_drain_url="+drain,
		fmt.Sprintf("TF_VAR_pool_ids={RegionOne=%q,RegionTwo=%q}", e.c.Fake.AddPool("RegionOne"), e.c.Fake.AddPool("RegionTwo")))
	e.edit(t, `"http://{address}/health"`, "var.health_url")
	e.edit(t, `variable "drain_url" {`, "variable \"health_url\" {}\n\nvariable \"drain_url\" {")
	e.edit(t, `"30m"`+"\n\n  http", "\"3s\"\n\n  http")
	e.edit(t, `"1m"`, `"0s"`)
}
