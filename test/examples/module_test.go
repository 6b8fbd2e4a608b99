package examples_test

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModules: the tests of the modules pass on a cloud with the quotas of Nova, and the common files of both modules
// are equal.
func TestModules(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"variables.tf", "groups.tf"} {
		assert.Equal(t, read(t, "modules/cluster/"+file), read(t, "modules/stateful/"+file))
	}
	files, err := filepath.Glob("modules/*/tests/*.tftest.hcl")
	require.NoError(t, err)
	assert.Len(t, files, 5)
	for _, file := range files {
		module, name := path.Dir(path.Dir(file)), path.Base(file)
		t.Run(path.Join(module, name), func(t *testing.T) {
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{Quotas: map[string]int{"server_group_members": 10, "server_groups": 10}}), module)
			text := acctest.Must(t, e.Workspace, "test", "-no-color", "-filter=tests/"+name)
			assert.Contains(t, text, "Success!")
		})
	}
}

// TestModuleMistakes: each mistake of a user is an error while planning that names the variable.
func TestModuleMistakes(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	const last = `  networks         = ["shared"]` + "\n"
	correct := regexp.MustCompile(`(?m)^  readiness_.*\n`).ReplaceAllString(read(t, "clusters/first/main.tf"), "")
	for _, c := range []struct{ old, written, says string }{
		{last, `max_batchsize = 2`, `An argument named "max_batchsize" is not expected here.`},
		{last, `update = { pause = "30m" }`, `An argument named "update" is not expected here.`},
		{last, `method = "RECREATE"`, `An argument named "method" is not expected here.`},
		{last, "", `The argument "networks" is required`},
		{"desired_capacity = 6", "desired_capacity = 2.5", "desired_capacity is a whole number of nodes"},
		{"desired_capacity = 6", `desired_capacity = "six"`, "desired_capacity declared"},
		{"zones =", "zone =", "A region has no zone."},
		{"cap = 3", `cap = "three"`, "weight, cap and min of a region or zone are numbers"},
		{"cap = 3", `closed = "yes"`, "closed is true or false"},
		{`{ name = "az-1" }`, `{ name = "az-1" }, { name = "az-1" }`, `"az-1" is at the indices 0 and 1`},
		{`["shared"]`, `[{ name = "shared", regions = "RegionOne" }]`, `networks[0].regions: a list of texts is needed, such as ["a"].`},
		{last, `volumes = { data = { size = 0 } }`, "volumes is a map of objects with a size"},
		{last, `boot_volume = { size = 0 }`, "boot_volume is an object with a size"},
		{"cap = 3", "max = 3", "A zone of regions has no max."},
		{"cap = 3", `template = { image = "debian-13" }`, "A zone of regions has no template."},
		{`["shared"]`, `[{ nme = "shared" }]`, `networks[0] has "nme", and a network has no such key. Did you mean "name"?`},
		{`["shared"]`, `[{ name = "shared", flaoting_ip_pool = "public" }]`, `Did you mean "floating_ip_pool"?`},
		{`["shared"]`, `[{ name = "shared", zones = ["az-1"] }]`, "networks has none for RegionOne/az-2"},
		{`["shared"]`, `["shared", { name = "shared", zones = ["az-1"] }]`, "networks[1] is networks[0] again, in RegionOne/az-1"},
		{`["shared"]`, `[{ name = "shared", floating_ips = { web-0 = "203.0.0.9" } }]`, "networks[0].floating_ips is a map, which needs the block stateful"},
		{`["shared"]`, `[{ name = "shared", floating_ips = ["203.0.0.9"] }]`, "networks[0].floating_ips has 1 address, and 7 are needed"},
		{`["shared"]`, `[{ name = "shared", addresses = { web-0 = "10.9.0.9" } }]`, "networks[0].addresses needs the block stateful"},
		{last, `volumes = { data = { size = 10, zone = "nova" } }`, "zone of volumes needs the slots"},
		{last, `volumes = { data = 10 }`, "volumes is a map of objects with a size"},
		{last, `volumes = { data = { size = 10, kind = "ssd" } }`, "A volume has no kind."},
		{last, `boot_volume = { size = 10, kind = "ssd" }`, "boot_volume has no kind."},
		{`["m1.small"]`, `[]`, "flavors has one flavor or more"},
		{`["m1.small"]`, `[""]`, "flavors has one flavor or more"},
		{`  flavors          = ["m1.small"]` + "\n", "", `The argument "flavors" is required`},
		{`  image            = "debian-12"` + "\n", "", `The argument "image" is required`},
		{`"debian-12"`, `""`, "image is a name or an id"},
		{`[{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }] }]`, `["RegionOne"]`, "regions is a list of objects"},
		{`"RegionOne"`, `"RegionNine"`, "RegionNine"},
		{`zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }]`, "zones = []", "zones of a region has no zone."},
		{"cap = 3", "cap = length(terraform_data.later.output)", "regions[0].zones[1].cap is known only after the apply"},
		{"= 6", "= length(terraform_data.later.output)", "desired_capacity is known only after the apply"},
		{`["shared"]`, "[{ name = \"shared\", port = true }]\n  security_groups = [\"web\"]", "give such a network security_group_ids"},
		{last, `max_batch_size = "half"`, "max_batch_size is a number of nodes"},
		{last, `max_batch_size = "150%"`, "max_batch_size is a number of nodes"},
		{last, `target = "101%"`, "target is a number of nodes"},
		{`{ name = "az-1" }`, `{ name = "az-1", cap = 1 }`, "regions = var.regions 6 nodes must be added, but there is room for 4"},
		{last, `pause = "ten minutes"`, "pause is a time"},
		{last, `causes = ["AGE"]`, "AGE in causes needs max_age"},
		{last, `criteria = "NEWEST"`, "criteria is RANDOM"},
		{last, `min_size = 9`, "desired_capacity is between min_size and max_size"},
		{last, `metadata = { cluster = "x" }`, "metadata has a key that the module or the provider sets"},
		{last, `servergroup_policies = "spread"`, "servergroup_policies is affinity"},
		{last, `max_server_per_host = 2`, "max_server_per_host needs servergroup_policies"},
		{last, "health_port = 80\nhealth_url = \"http://{address}/\"", "health is asked by one of health_url, health_port and health_pool_ids"},
		{last, `health_status = "204"`, "health_status needs health_url"},
		{last, `readiness_url = "{address}:8080"`, "readiness_url begins with http"},
		{last, `readiness_port = 99999`, "readiness_port is a port"},
		{last, "drain_hook_url = \"https://c.example/\"\ndrain_hook_command = [\"true\"]", "a hook is one of drain_hook_url and drain_hook_command"},
		{last, `drain_hook_timeout = "5m"`, "drain_hook_timeout and drain_hook_environment need"},
		{last, `drain_hook_command = ["drain"]`, "allow_commands"},
		{last, `pools = { http = { pool_id = "x", protocol_port = 80 } }`, `pools["http"] has no region, such as`},
		{last, `pools = { http = { region = "RegionOne", pool_id = "x", protocol_port = 80, weight = 1 } }`, `pools["http"] has "weight", and a pool has no such key.`},
		{last, `pools = { http = { region = "RegionTwo", pool_id = "x", protocol_port = 80 } }`, `pools["http"].region is "RegionTwo", where the cluster has no node`},
	} {
		if c.old == last && c.written != "" {
			c.written = last + c.written + "\n"
		}
		e.file(t, "main.tf", strings.Replace(correct, c.old, c.written, 1)+"resource \"terraform_data\" \"later\" {\n  input = timestamp()\n}\n")
		_, err := e.Run(t.Context(), "plan", "-input=false", "-no-color")
		require.Error(t, err, c.written)
		_, said, _ := strings.Cut(err.Error(), "Error: ")
		assert.Regexp(t, acctest.Says(c.says), said, c.written)
	}
}
