package examples_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// reader is the cluster whose plans the guide "Reading a plan" shows.
type reader struct {
	*workspace.Workspace
	t       *testing.T
	fake    *fakecloud.Cloud
	servers map[string]string // ids by name
	images  map[string]string // ids by name
}

// apply applies the attachment, and makes and deletes servers accordingly.
func (r reader) apply(lines ...string) {
	r.t.Helper()
	err := r.Write(attached(lines...))
	if err == nil {
		_, err = r.Apply(r.t.Context())
	}
	require.NoError(r.t, err)
	day, nodes := time.Date(2026, time.March, 1, 8, 0, 0, 0, time.UTC), nodesOf(r.t, r.Workspace)
	for name, n := range nodes {
		if r.servers[name] == "" {
			image := n.Template["image"]
			if image != "" && r.images[image] == "" {
				r.images[image] = r.fake.AddImage(fakecloud.Image{Name: image})
			}
			s := fakecloud.Server{Name: name, Zone: n.Zone, ImageID: r.images[image], Created: day.AddDate(0, 0, n.Index)}
			r.servers[name] = r.fake.AddServers(n.Region, s)[0]
		}
	}
	for name, id := range r.servers {
		if _, there := nodes[name]; !there {
			r.fake.RemoveServers("RegionOne", id)
			delete(r.servers, name)
		}
	}
}

// attached is an attachment with some lines, over one region.
func attached(lines ...string) string {
	return "resource \"stackpolicy_placement_attachment\" \"web\" {\n  cluster = \"web\"\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

const (
	threeZones = `regions = [{ zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]`
	oldest     = "deletion { criteria = \"OLDEST_FIRST\" }"
)

// TestReadingAPlan: the guide shows Terraform's output to the letter. With -update the plans are rewritten.
func TestReadingAPlan(t *testing.T) {
	t.Parallel()
	zone := func(name string) func(reader) {
		return func(r reader) { r.fake.SetZoneAvailable("RegionOne", name, false) }
	}
	batch := func(lines ...string) string { return "update {\n    " + strings.Join(lines, "\n    ") + "\n  }" }
	rolling := batch(`causes         = ["UNHEALTHY", "TEMPLATE"]`, `max_batch_size = 2`, `require_in_service = false`)
	for _, c := range []struct {
		name   string
		before []string
		happen func(reader) // change of the cloud
		after  []string
	}{
		{"grow", []string{"desired_capacity = 4", threeZones}, nil, []string{"desired_capacity = 6", threeZones}},
		{"shrink", []string{"desired_capacity = 7", threeZones, oldest}, nil, []string{"desired_capacity = 5", threeZones, oldest}},
		{"cap", []string{"desired_capacity = 4", threeZones}, nil,
			[]string{"desired_capacity = 8", `regions = [{ zones = [{ name = "az-1", cap = 2 }, { name = "az-2" }, { name = "az-3" }] }]`}},
		{"quota", []string{"desired_capacity = 4", `regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]`, "respect_quotas = true"},
			func(r reader) { r.fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", 3) },
			[]string{"desired_capacity = 8", `regions = [{ name = "RegionOne" }, { name = "RegionTwo" }]`, "respect_quotas = true"}},
		{"zone-down", []string{"desired_capacity = 3", threeZones}, zone("az-2"), []string{"desired_capacity = 6", threeZones}},
		{"dropped-place", []string{"desired_capacity = 6", threeZones}, nil,
			[]string{"desired_capacity = 6", `regions = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]`}},
		{"protected", []string{"desired_capacity = 6", threeZones, oldest},
			func(r reader) {
				r.fake.UpdateServer("RegionOne", r.servers["web-0"], func(s *fakecloud.Server) { s.LockedBy = "owner" })
			}, []string{"desired_capacity = 3", threeZones, oldest}},
		{"repair", []string{"desired_capacity = 6", threeZones, rolling},
			func(r reader) {
				r.fake.UpdateServer("RegionOne", r.servers["web-1"], func(s *fakecloud.Server) { s.Status = "ERROR" })
			}, []string{"desired_capacity = 6", threeZones, rolling}},
		{"batch", []string{"desired_capacity = 6", threeZones, `template = { image = "debian-12" }`, oldest, rolling}, nil,
			[]string{"desired_capacity = 6", threeZones, `template = { image = "debian-13" }`, oldest, rolling}},
		{"second-batch", []string{"desired_capacity = 6", threeZones, `template = { image = "debian-12" }`, oldest, rolling},
			func(r reader) {
				r.apply("desired_capacity = 6", threeZones, `template = { image = "debian-13" }`, oldest, rolling)
			}, []string{"desired_capacity = 6", threeZones, `template = { image = "debian-13" }`, oldest, rolling}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cloud := acctest.NewFake(t, fakecloud.Config{})
			r := reader{cloud.Workspace(t, ""), t, cloud.Fake, map[string]string{}, map[string]string{}}
			r.apply(c.before...)
			if c.happen != nil {
				c.happen(r)
			}
			require.NoError(t, r.Write(attached(c.after...)))
			text := acctest.Must(t, r.Workspace, "plan", "-no-color", "-input=false")
			golden(t, filepath.Join("guides", "reading-a-plan", c.name+".txt"), planText(text))
		})
	}
}

// nodesOf returns the nodes of the attachment in a workspace.
func nodesOf(t *testing.T, w *workspace.Workspace) map[string]placed {
	t.Helper()
	var state struct {
		Resources []struct {
			Instances []struct {
				Attributes struct{ Nodes map[string]placed }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(w.Dir, "terraform.tfstate"))), &state))
	return state.Resources[0].Instances[0].Attributes.Nodes
}

// placed is a node with its place.
type placed struct {
	Index        int
	Region, Zone string
	Template     map[string]string
}

var (
	changes = regexp.MustCompile(`(?ms)^  # stackpolicy_placement_attachment\.web.*?^    }\n`)
	where   = regexp.MustCompile(`(?m)^ {2,}(with stackpolicy_|on main\.tf line|\d+:).*\n`) // the line differs since 1.16
	blank   = regexp.MustCompile(`\n{3,}`)
)

// planText returns the part of a plan about the attachment: its changes and the warnings.
func planText(text string) string {
	change := changes.FindString(text)
	for _, n := range noise {
		change = n.ReplaceAllString(change, "")
	}
	if change == "" {
		change = "No changes.\n"
	}
	warnings := ""
	text = unchecked.ReplaceAllString(text, "") // these plans have no servers
	if i := strings.Index(text, "\nWarning: "); i >= 0 {
		warnings, _, _ = strings.Cut(text[i:], "\n────")
		warnings = blank.ReplaceAllString(where.ReplaceAllString(warnings, ""), "\n\n")
	}
	return strings.TrimRight(change+warnings, "\n") + "\n"
}

// noise matches parts of a plan that repeat others: the counts by place, and the attributes of a node in addition to its
// place.
var noise = []*regexp.Regexp{
	regexp.MustCompile(`(?ms)^      [~+-] distribution +=.*?^        \}.*?\n`),
	regexp.MustCompile(`(?m)^ +# \(\d+ unchanged .*\n\n?`),
	regexp.MustCompile(`(?m)^ {8}id +=.*\n`),
	regexp.MustCompile(`(?m)^ {14}[+~-] (generation|index|mark|parts) +=.*\n`),
	regexp.MustCompile(`(?m)^ +[+~-] template += \{\}\n`),
}

var unchecked = regexp.MustCompile(`(?s)\nWarning: ACTIVE is taken for service\n.*?tcp or hook\.\n`)

// golden compares a text with a file, or writes the file with -update.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	if acctest.TerraformMinor(t) == 0 {
		t.Skip("OpenTofu shows the lines of a text that change in another order")
	}
	assert.Equal(t, read(t, path), text, "%s is not what Terraform prints; -update rewrites it", path)
}

// TestWhyNot: the guide's question gets the guide's answer, even if the plan is empty.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	_, part, _ := strings.Cut(read(t, "../docs/guides/reading-a-plan.md"), "$ echo '")
	question, rest, _ := strings.Cut(part, "' | terraform console\n")
	answer, _, _ := strings.Cut(rest, "\n```")
	cloud := acctest.NewFake(t, fakecloud.Config{})
	with := func(image string) []string {
		return []string{"desired_capacity = 6", threeZones, oldest, `template = { image = "` + image + `" }`,
			"update {\n    causes = [\"TEMPLATE\"]\n    max_batch_size = 1\n    require_in_service = false\n  }"}
	}
	r := reader{cloud.Workspace(t, ""), t, cloud.Fake, map[string]string{}, map[string]string{}}
	r.apply(with("debian-12")...)
	r.apply(with("debian-13")...)
	r.fake.UpdateServer("RegionOne", r.servers["web-6"], func(s *fakecloud.Server) { s.Status = "BUILD" })
	acctest.Must(t, r.Workspace, "apply", "-refresh-only", "-auto-approve")
	env, end, err := r.Attached(t.Context())
	require.NoError(t, err)
	defer end()
	console := r.Command(t.Context(), "console")
	console.Env, console.Stdin = env, strings.NewReader(question)
	if got, err := console.CombinedOutput(); err != nil || strings.TrimSpace(string(got)) != answer || answer == "" {
		t.Errorf("%s: %s (%v), and the guide has %s", question, got, err, answer)
	}
}
