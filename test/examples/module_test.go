package examples_test

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModules: the tests of the modules pass on a cloud with the quotas of Nova, and the common files of both modules
// are equal: "make modules" copies them.
func TestModules(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"common.tf", "groups.tf", "outputs.tf", "variables.tf", "versions.tf"} {
		assert.Equal(t, read(t, "modules/cluster/"+file), read(t, "modules/stateful/"+file))
	}
	files, err := filepath.Glob("modules/*/tests/*.tftest.hcl")
	require.NoError(t, err)
	assert.Len(t, files, 5)
	for _, file := range files {
		module, name := path.Dir(path.Dir(file)), path.Base(file)
		t.Run(path.Join(module, name), func(t *testing.T) {
			t.Parallel()
			if acctest.TerraformMinor(t) == 0 && strings.Contains(read(t, file), "run.") {
				t.Skip("OpenTofu has no outputs of other runs in assertions")
			}
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{Quotas: map[string]int{"server_group_members": 10, "server_groups": 10}}), module)
			text := acctest.Must(t, e.Workspace, "test", "-no-color", "-filter=tests/"+name)
			assert.Contains(t, text, "Success!")
		})
	}
}

// TestModuleKeys: the keys that a module takes in a block are those that it describes, and that it hands on.
func TestModuleKeys(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"cluster", "stateful"} {
		files, err := filepath.Glob("modules/" + module + "/*.tf")
		require.NoError(t, err)
		code := ""
		for _, file := range files {
			code += read(t, file)
		}
		_, taken, found := strings.Cut(code, "  keys = {\n")
		require.True(t, found)
		taken, rest, _ := strings.Cut(taken, "  }\n")
		hook, _, _ := strings.Cut(rest, "\n")
		for line := range strings.Lines(strings.ReplaceAll(taken, "local.hook_keys", hook)) {
			block := strings.Fields(line)[0]
			_, text, found := strings.Cut(code, "variable \""+block+"\" {")
			require.True(t, found, block)
			text, _, _ = strings.Cut(text, "\n}")
			keys := first(regexp.MustCompile(`"(\w+)"`), line)
			assert.Equal(t, keys, first(regexp.MustCompile(`(?m)^    - (\w+): `), text), "%s: %s, as described", module, block)
			assert.Equal(t, keys, first(regexp.MustCompile(`local\.given\.`+block+`\.(\w+)`), code), "%s: %s, as handed on", module, block)
		}
	}
}

// first returns what the first group of a pattern finds in a text, sorted and each once.
func first(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestModuleMistakes: each mistake of a user is an error while planning that names the variable.
func TestModuleMistakes(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	const last = `  networks         = ["shared"]` + "\n"
	correct := regexp.MustCompile(`(?m)^  readiness .*\n`).ReplaceAllString(read(t, "clusters/first/main.tf"), "")
	for _, c := range []struct{ old, written, says string }{
		{last, `max_batchsize = 2`, `An argument named "max_batchsize" is not expected here.`},
		{last, `pause = "30m"`, `An argument named "pause" is not expected here.`},
		{last, `update = { max_batchsize = 2 }`,
			`update has "max_batchsize", and has no such key. It has causes, max_batch_size, max_age, pause, stop_above, target.`},
		{last, `health = "http://{address}/"`, "health is no object, as in health = { ... }."},
		{last, `drain = ["https://c.example/"]`, "drain is no object, as in drain = { ... }."},
		{last, "readiness = { url = sensitive(\"http://{address}/\"), prot = 80 }", `readiness has "prot", and has no such key.`},
		{last, `method = "RECREATE"`, `An argument named "method" is not expected here.`},
		{last, "", `The argument "networks" is required`},
		{`["shared"]`, `{ name = "shared", floating_ip_pool = "public" }`, "networks is one object, and a list of them is needed. Put it in brackets, as in"},
		{`["shared"]`, "[null]", "networks[0] is null. Leave it out."},
		{`["shared"]`, "[]", "networks has no network."},
		{last, "update = { max_batch_size = [1] }", "local.given.update.max_batch_size is tuple"},
		{last, `pools = { http = { region = "RegionOne", pool_id = "x", protocol_port = "http" } }`,
			`pools["http"].protocol_port: a whole number is needed, not "http".`},
		{last, `pools = { a = { region = "RegionOne", pool_id = "x", protocol_port = 80 }, b = { region = "RegionOne", pool_id = "x", protocol_port = 80 } }`,
			`pools["b"] is pools["a"] again.`},
		{"desired_capacity = 6", "desired_capacity = 2.5", "desired_capacity: a whole number is needed, not 2.5"},
		{"desired_capacity = 6", `desired_capacity = "six"`, "desired_capacity declared"},
		{"zones =", "zone =", `regions[0] has "zone", and a region has no such key. Did you mean "zones"?`},
		{"cap = 3", `cap = "three"`, `regions[0].zones[1].cap: a whole number is needed, not "three".`},
		{"cap = 3", `cap = 1.5`, "regions[0].zones[1].cap: a whole number is needed, not 1.5: use floor() or ceil()."},
		{"cap = 3", `closed = "yes"`, `regions[0].zones[1].closed: true or false is needed, not "yes".`},
		{`{ name = "az-1" }`, `{ name = "az-1" }, { name = "az-1" }`, `"az-1" is at the indices 0 and 1`},
		{`["shared"]`, `[{ name = "shared", regions = "RegionOne" }]`, `networks[0].regions: a list of texts is needed, such as ["a"].`},
		{last, `disks = { data = { size = 0 } }`, `disks["data"].size is 0, and must be between 1 and 1048576.`},
		{last, `disks = { a = { size = 1, boot = true }, b = { size = 1, boot = true } }`, `disks["a"] and disks["b"] both have boot = true`},
		{"cap = 3", "max = 3", `regions[0].zones[1] has "max", and a zone has no such key. It has cap, closed, flavors, min, name, template, weight.`},
		{"cap = 3", `template = { image = "debian-13" }`, "The argument image fills in the image of a template."},
		{`["shared"]`, `[{ nme = "shared" }]`, `networks[0] has "nme", and a network has no such key. Did you mean "name"?`},
		{`["shared"]`, `[{ name = "shared", flaoting_ip_pool = "public" }]`, `Did you mean "floating_ip_pool"?`},
		{`["shared"]`, `[{ name = "shared", zones = ["az-1"] }]`, "networks has none for RegionOne/az-2"},
		{`["shared"]`, `["shared", { name = "shared", zones = ["az-1"] }]`, "networks[1] is networks[0] again, in RegionOne/az-1"},
		{`["shared"]`, `[{ name = "shared", floating_ips = { web-0 = "203.0.0.9" } }]`, "networks[0].floating_ips is a map, which needs the block stateful"},
		{`["shared"]`, `[{ name = "shared", floating_ips = ["203.0.0.9"] }]`, "networks[0].floating_ips has 1 address, and 7 are needed"},
		{`["shared"]`, `[{ name = "shared", addresses = { web-0 = "10.9.0.9" } }]`, "networks[0].addresses needs the block stateful"},
		{last, `disks = { data = { size = 10, zone = "nova" } }`, `disks["data"].zone needs the block stateful`},
		{last, `disks = { data = 10 }`, `disks["data"]: an object is needed, not 10, such as`},
		{last, `disks = { data = { size = 10, kind = "ssd" } }`, `disks["data"] has "kind", and a disk has no such key. It has boot, size, type, zone.`},
		{`["m1.small"]`, `[]`, "Attribute flavors list must contain at least 1 elements"},
		{`["m1.small"]`, `[""]`, "Attribute flavors[0] string length must be at least 1"},
		{`  flavors          = ["m1.small"]` + "\n", "", `The argument "flavors" is required`},
		{`  image            = "debian-12"` + "\n", "", `The argument "image" is required`},
		{`"debian-12"`, `""`, "Attribute image string length must be at least 1"},
		{`[{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }] }]`, `["RegionOne"]`,
			`regions[0]: an object is needed, not "RegionOne", such as [{ name`},
		{`"RegionOne"`, `"RegionNine"`, "RegionNine"},
		{`zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }]`, "zones = []", "regions[0].zones has no zone. Leave zones out"},
		{"cap = 3", "cap = length(terraform_data.later.output)", "regions[0].zones[1].cap is known only after the apply"},
		{"= 6", "= length(terraform_data.later.output)", "desired_capacity is known only after the apply"},
		{`["shared"]`, "[{ name = \"shared\", port = true }]\n  security_groups = [\"web\"]", "give such a network security_group_ids"},
		{last, `update = { max_batch_size = "half" }`, `"half" is neither a whole number of nodes, such as "2", nor a percentage`},
		{last, `update = { max_batch_size = "150%" }`, `150%`},
		{last, `update = { target = "101%" }`, `101%`},
		{`{ name = "az-1" }`, `{ name = "az-1", cap = 1 }`, "regions = var.regions 6 nodes must be added, but there is room for 4"},
		{last, `update = { pause = "ten minutes" }`, `"ten minutes"`},
		{last, `update = { causes = ["AGE"] }`, "The cause AGE needs max_age"},
		{last, `deletion = { criteria = "NEWEST" }`, `deletion.criteria value must be one of`},
		{last, `min_size = 9`, "The desired_capacity (6) is less than the min_size (9)."},
		{last, `metadata = { cluster = "x" }`, "metadata has a key that is set for it"},
		{last, `servergroup = { policies = "spread" }`, "servergroup.policies is affinity"},
		{last, `servergroup = { max_server_per_host = 2 }`, "servergroup.max_server_per_host needs policies"},
		{last, `health = { port = 80, url = "http://{address}/" }`, "The block health needs one of http, tcp and octavia, and has 2 of them."},
		{last, `health = { status = "204" }`, "The block health.http needs url."},
		{last, `readiness = { url = "{address}:8080" }`, "http://"},
		{last, `readiness = { port = 99999 }`, "tcp.port value must be between 1 and 65535"},
		{last, `drain = { hook_url = "https://c.example/", hook_command = ["true"] }`, "A drain hook is one of hook_url and hook_command"},
		{last, `drain = { hook_timeout = "5m" }`, "A drain hook is one of hook_url and hook_command"},
		{last, `drain = { hook_command = ["drain"] }`, "allow_commands"},
		{last, `pools = { http = { pool_id = "x", protocol_port = 80 } }`, `pools["http"] has no region, such as`},
		{last, `pools = { http = { region = "RegionOne", pool_id = "x", protocol_port = 80, weight = 1 } }`,
			`pools["http"] has "weight", and a pool has no such key.`},
		{last, `pools = { http = { region = "RegionTwo", pool_id = "x", protocol_port = 80 } }`,
			`pools["http"].region is "RegionTwo", where the cluster has no node`},
	} {
		if c.old == last && c.written != "" {
			c.written = last + c.written + "\n"
		}
		e.file(t, "main.tf", strings.Replace(correct, c.old, c.written, 1)+"resource \"terraform_data\" \"later\" {\n  input = timestamp()\n}\n")
		_, err := e.Run(t.Context(), "plan", "-input=false", "-no-color")
		require.Error(t, err, c.written)
		assert.Equal(t, 1, strings.Count(err.Error(), "Error: "), "%s: %v", c.written, err)
		_, said, _ := strings.Cut(err.Error(), "Error: ")
		assert.Regexp(t, acctest.Says(c.says), said, c.written)
	}
}
