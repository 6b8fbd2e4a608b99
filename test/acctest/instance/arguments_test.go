package instance_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told is a row of the guide about an argument: what a change does, and whether the argument belongs into template.
type told struct{ name, change, template string }

// guide reads the table of arguments.
func guide(t *testing.T) map[string]told {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(workspace.Root(), "templates", "guides", "operating-a-cluster.md.tmpl"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| argument | a change of it | in `template` |\n")
	require.True(t, found, "the guide has no table of arguments")
	list := map[string]told{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 {
			if strings.HasPrefix(line, "|-") {
				continue
			}
			break
		}
		for _, name := range regexp.MustCompile("`[a-z0-9_]+`").FindAllString(cells[0], -1) {
			list[strings.Trim(name, "`")] = told{cells[0], cells[1], strings.TrimRight(cells[2], " |\n")}
		}
	}
	return list
}

// since has the arguments that the oldest supported provider, 3.0, does not have.
var since = map[string]string{"hypervisor_hostname": "from 3.1 on"}

// until has the arguments that newer providers do not have. They have no effect.
var until = []string{"access_ip_v4", "access_ip_v6"}

// attribute is an attribute of a resource, as terraform shows it.
type attribute struct {
	Type                         any
	Optional, Required, Computed bool
}

// block has the arguments of a resource.
type block struct {
	Attributes map[string]attribute
	Blocks     map[string]any `json:"block_types"`
}

// instances returns the arguments of the provider's resource for servers.
func instances(t *testing.T, w *workspace.Workspace) block {
	t.Helper()
	text := acctest.Must(t, w, "providers", "schema", "-json")
	var doc struct {
		Schemas map[string]struct {
			Resources map[string]struct{ Block block } `json:"resource_schemas"`
		} `json:"provider_schemas"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	for address, schema := range doc.Schemas {
		if strings.HasSuffix(address, workspace.OpenStack) {
			return schema.Resources["openstack_compute_instance_v2"].Block
		}
	}
	t.Fatal("no schema of " + workspace.OpenStack)
	return block{}
}

// arguments lists the arguments of servers that have an effect.
func arguments(block block) []string {
	var list []string
	for name, a := range block.Attributes {
		if (a.Optional || a.Required) && name != "id" {
			list = append(list, name)
		}
	}
	list = slices.AppendSeq(list, maps.Keys(block.Blocks))
	list = slices.DeleteFunc(list, func(name string) bool { return name == "timeouts" || slices.Contains(until, name) })
	slices.Sort(list)
	return list
}

// TestArguments compares the guide's table of arguments with the schema of the provider and with the results of
// [TestAccInstance].
func TestArguments(t *testing.T) {
	t.Parallel()
	known := arguments(instances(t, acctest.NewFake(t, fakecloud.Config{}).Workspace(t, "provider \"openstack\" {}\n")))
	guide := guide(t)
	for _, name := range known {
		assert.Contains(t, guide, name, "what a change of it does")
	}
	shown := map[string]string{}
	for _, r := range changes {
		if was := shown[r.argument]; was != "replaced" { // a change of the whole block counts
			shown[r.argument] = r.want
		}
	}
	for name, told := range guide {
		if want := map[string]string{"in place": "in place", "replaced": "another server"}[shown[name]]; !strings.HasPrefix(told.change, want) || want == "" {
			t.Errorf("a change of %s: the guide says %q, and it is %s", name, told.change, shown[name])
		}
		assert.Regexp(t, "^(yes|no|never)(: .*)?$", told.template, "%s in template", name)
		if !slices.Contains(known, name) && (since[name] == "" || !strings.Contains(told.name, "`"+name+"` ("+since[name]+")")) {
			t.Errorf("the provider has no %s; the guide says %q", name, told.name)
		}
	}
}
