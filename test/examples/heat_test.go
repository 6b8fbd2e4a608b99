package examples_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// heatGroup is a group of a Heat template, of any kind.
type heatGroup struct {
	Properties struct {
		Size    int `yaml:"desired_capacity"`
		Count   int
		Removed []struct {
			Names []string `yaml:"resource_list"`
		} `yaml:"removal_policies"`
		Server   heatServer `yaml:"resource"`
		Numbered heatServer `yaml:"resource_def"`
	}
}

type heatServer struct {
	Properties struct {
		Name, Image, Flavor string
		Networks            []struct{ Network string }
	}
}

// names returns the names that Heat gives to the servers of a group: they have random letters, unless the template
// numbers them.
func (g heatGroup) names(group string) (names []string) {
	for i := range g.Properties.Size {
		names = append(names, fmt.Sprintf("shop-%s-tbq2zkkbhhzy-%c4uq7wd3nkfy-ha7z3qpl3cvs", group, 'z'-i))
	}
	for i := 0; len(names) < g.Properties.Size+g.Properties.Count; i++ {
		if number := fmt.Sprint(i); !slices.Contains(g.Properties.Removed[0].Names, number) {
			names = append(names, strings.ReplaceAll(g.Properties.Numbered.Properties.Name, "%index%", number))
		}
	}
	return names
}

// client is the openstack command with the calls that the scripts of the guide make.
const client = `#!/bin/sh
case "$*" in
"stack resource show shop web -f value -c physical_resource_id") echo 0f5d ;;
"stack resource list 0f5d --filter type=OS::Nova::Server -f value -c physical_resource_id") cat web ;;
"server set --name "*) echo "$4 $5" >>renamed ;;
*) echo "openstack $*" >&2; exit 2 ;;
esac
`

// TestExample_fromHeat: the servers of the template are imported without a change, with the names that Heat gives
// them. Then they get another image, in batches, and the clusters grow and shrink. It runs only on the fake cloud,
// which has no Heat.
func TestExample_fromHeat(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "guides/from-heat")
	e.c.Prefix = ""
	health := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(health.Close)
	e.edit(t, "port = 80", fmt.Sprintf("url = %q, status = 404", health.URL+"/{name}"))
	consumer, url := acctest.StartConsumer(t, 0)
	e.Env = append(e.Env, "TF_VAR_drain_url="+url)

	var stack struct{ Resources map[string]heatGroup }
	require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join(e.Dir, "stack.yaml"))), &stack))
	network, shared := e.c.Network(t, "RegionOne")
	apart := e.c.Group(t, "RegionOne", "shop-apart-v5s2gxwq3uzk", "soft-anti-affinity")
	for group, server := range map[string]heatServer{
		"web": stack.Resources["web"].Properties.Server, "workers": stack.Resources["workers"].Properties.Numbered,
	} {
		require.Equal(t, shared, server.Properties.Networks[0].Network)
		e.c.Image, e.c.Flavor = e.c.Named(t, server.Properties.Image), server.Properties.Flavor
		var ids strings.Builder
		for i, name := range stack.Resources[group].names(group) {
			s := acctest.Server{Name: name, Region: "RegionOne", Zone: fmt.Sprintf("az-%d", i%2+1), Network: network, Group: apart}
			fmt.Fprintln(&ids, e.c.Boot(t, s)[0])
		}
		e.file(t, group, ids.String())
	}
	require.NoError(t, workspace.WriteProgram(filepath.Join(e.Dir, "openstack"), []byte(client)))
	script := exec.CommandContext(t.Context(), "./names.sh", "shop", "web")
	script.Dir, script.Env = e.Dir, append(os.Environ(), "PATH="+e.Dir+":"+os.Getenv("PATH"))
	output, err := script.CombinedOutput()
	require.NoError(t, err, string(output))
	for line := range strings.Lines(read(t, filepath.Join(e.Dir, "renamed"))) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		e.c.Rename(t, "RegionOne", id, name)
	}
	before, list := e.servers(t), []map[string]string{}
	for name, id := range before {
		list = append(list, map[string]string{"Name": name, "ID": id})
	}
	e.file(t, "servers.json", list)

	e.c.Fake.ResetRequests()
	first := e.memorize(t, "module.web.", "module.workers.")
	got := counts(e.apply(t))
	if !first {
		quoted(t, "from-heat", got)
		assert.Contains(t, got, "9 to import")
	}
	assert.Contains(t, got, "0 to destroy")
	assert.Empty(t, e.requested(), "of servers")
	assert.Equal(t, before, e.servers(t), "the servers")
	require.NoError(t, os.Remove(filepath.Join(e.Dir, "import.tf")))

	const userData = "user_data = file(\"web.sh\")"
	quoted(t, "from-heat", userData)
	e.file(t, "web.sh", "#!/bin/sh\n")
	const web = "max_size         = 10\n  regions          = local.regions\n  image            = "
	e.edit(t, web+`"debian-12"`, userData+"\n  "+web+`"debian-13"`)
	text := acctest.Apply(t, e.Workspace)
	assert.Contains(t, text, "3 destroyed", "a batch of one server, with its attachment and its generation")
	rolled := e.servers(t)
	kept(t, before, rolled, 7)
	assert.Contains(t, rolled, "web-4")

	e.edit(t, "desired_capacity = 4", "desired_capacity = 5")
	e.edit(t, "desired_capacity = 3\n  deletion         = {", "desired_capacity = 2\n  deletion         = { candidates = [\"workers-2\"],")
	acctest.Apply(t, e.Workspace) // the next batch waits for its pause
	after := e.servers(t)
	kept(t, rolled, after, 7)
	assert.Contains(t, after, "web-5")
	assert.NotContains(t, after, "workers-2")
	assert.Equal(t, 1, consumer.Posts, "workers that were drained")
}
