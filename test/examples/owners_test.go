package examples_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// owners says of each argument of what the modules make whose it is, one owner a line:
//
//   - module: a change by others is put back;
//   - user: a change of a variable comes in place, a change by others is put back;
//   - new: the user gives it, for new servers, ports and volumes; it never changes;
//   - anybody: what others set stays;
//   - unread: terraform-provider-openstack does not look at it after a creation.
var owners = map[string]string{
	"compute_instance_v2": `module: region name power_state
		user: metadata tags
		new: image_id flavor_id user_data security_groups availability_zone network config_drive key_pair block_device scheduler_hints
		anybody: image_name flavor_name hypervisor_hostname
		unread: availability_zone_hints network_mode admin_pass personality force_delete stop_before_destroy vendor_options`,
	"networking_port_v2": `new: region name network_id security_group_ids fixed_ip allowed_address_pairs port_security_enabled
		anybody: description admin_state_up mac_address tenant_id device_owner no_security_groups device_id no_fixed_ip extra_dhcp_option value_specs
		anybody: tags binding dns_name qos_policy_id`,
	"networking_floatingip_v2": `module: region description
		new: pool
		anybody: address port_id tenant_id fixed_ip subnet_id tags dns_name dns_domain
		unread: subnet_ids value_specs`,
	"networking_floatingip_associate_v2": `module: region port_id floating_ip
		anybody: fixed_ip`,
	"blockstorage_volume_v3": `module: region name enable_online_resize
		user: size
		new: availability_zone volume_type
		anybody: description metadata
		unread: snapshot_id source_vol_id image_id backup_id volume_retype_policy consistency_group_id source_replica scheduler_hints`,
	"compute_volume_attach_v2": `module: region instance_id volume_id
		anybody: device
		unread: multiattach tag vendor_options`,
	"lb_member_v2": `module: region name address pool_id
		user: backup
		new: protocol_port subnet_id monitor_address monitor_port
		anybody: tenant_id weight admin_state_up tags`,
}

// made are the resources of a module: what each sets, and what it ignores.
func made(t *testing.T, module string) (sets, ignores map[string][]string) {
	t.Helper()
	files, err := filepath.Glob("modules/" + module + "/*.tf")
	require.NoError(t, err)
	sets, ignores = map[string][]string{}, map[string][]string{}
	for _, file := range files {
		code := regexp.MustCompile(` +#.*`).ReplaceAllString(read(t, file), "")
		resources := regexp.MustCompile(`(?ms)^resource "openstack_(\w+)" "\w+" \{\n(.*?)^\}\n`)
		for _, block := range resources.FindAllStringSubmatch(code, -1) {
			for _, set := range regexp.MustCompile(`(?m)^  (?:dynamic "(\w+)"|(\w+) +=)`).FindAllStringSubmatch(block[2], -1) {
				if name := set[1] + set[2]; !slices.Contains([]string{"for_each", "depends_on"}, name) {
					sets[block[1]] = append(sets[block[1]], name)
				}
			}
			if list := regexp.MustCompile(`ignore_changes += (\[[\w, \n]+|\w+)`).FindStringSubmatch(block[2]); list != nil {
				ignores[block[1]] = strings.FieldsFunc(list[1], func(r rune) bool { return strings.ContainsRune("[, \n", r) })
			}
		}
	}
	return sets, ignores
}

// TestModuleOwners: each argument of each resource of the modules has one owner, and the modules treat it so.
func TestModuleOwners(t *testing.T) {
	t.Parallel()
	e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
	var all struct {
		Schemas map[string]struct {
			Resources map[string]struct {
				Block struct {
					Attributes map[string]struct{ Optional, Required, Computed bool }
					Blocks     map[string]any `json:"block_types"`
				}
			} `json:"resource_schemas"`
		} `json:"provider_schemas"`
	}
	require.NoError(t, json.Unmarshal([]byte(acctest.Must(t, e.Workspace, "providers", "schema", "-json")), &all))
	for _, module := range []string{"cluster", "stateful"} {
		sets, ignores := made(t, module)
		for kind := range sets {
			var block = all.Schemas["registry.terraform.io/terraform-provider-openstack/openstack"].Resources["openstack_"+kind].Block
			if len(block.Attributes) == 0 {
				block = all.Schemas["registry.opentofu.org/terraform-provider-openstack/openstack"].Resources["openstack_"+kind].Block
			}
			require.NotEmpty(t, block.Attributes, kind)
			arguments := map[string]bool{} // and whether what others set is no difference
			for name, a := range block.Attributes {
				if a.Optional || a.Required {
					arguments[name] = a.Computed
				}
			}
			delete(arguments, "id")
			for name := range block.Blocks {
				if name != "timeouts" {
					arguments[name] = false
				}
			}
			for line := range strings.Lines(owners[kind]) {
				owner, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
				for name := range strings.FieldsSeq(names) {
					what := module + ", " + kind + "." + name + ", of " + owner
					computed, there := arguments[name]
					delete(arguments, name)
					assert.True(t, there, "%s: the provider has it, and one owner does", what)
					set, ignored := slices.Contains(sets[kind], name), slices.Contains(ignores[kind], name) || slices.Equal(ignores[kind], []string{"all"})
					switch owner {
					case "module", "user":
						assert.True(t, !ignored || name == "floating_ip", "%s: a change is put back", what)
					case "new":
						assert.True(t, !set || ignored, "%s: a change is for new ones", what)
					case "anybody":
						tags := name == "tags" // the provider reads only its own
						assert.True(t, !set && (computed || ignored || tags), "%s: what others set stays", what)
					case "unread":
						assert.False(t, set, what)
					default:
						t.Error(what)
					}
				}
			}
			assert.Empty(t, arguments, "%s: arguments without an owner", kind)
		}
	}
}

// past lists the arguments of what the modules make for each node or slot that come from a variable, past the node, and
// why: a change of one reaches all nodes at once.
var past = map[string]string{
	"openstack_compute_instance_v2.tags":             "Nova changes them in place",
	"openstack_compute_instance_v2.metadata":         "Nova changes it in place",
	"openstack_lb_member_v2.pool_id":                 "it may come from the same apply, and is no matter of the server",
	"stackpolicy_deletion_attachment.cluster":        "it is for a server that leaves",
	"stackpolicy_deletion_attachment.enabled":        "it is for a server that leaves",
	"stackpolicy_deletion_attachment.shutdown":       "it is for a server that leaves",
	"stackpolicy_deletion_attachment.grace_period":   "it is for a server that leaves",
	"stackpolicy_deletion_attachment.depends_on":     "an order has no value",
	"stackpolicy_deletion_attachment.url":            "it is for a server that leaves",
	"stackpolicy_deletion_attachment.command":        "it is for a server that leaves",
	"stackpolicy_deletion_attachment.environment":    "it is for a server that leaves",
	"stackpolicy_deletion_attachment.timeout":        "it is for a server that leaves",
	"stackpolicy_deletion_attachment.default_result": "it is for a server that leaves",
	"stackpolicy_affinity_attachment.name":           "a group keeps its name",
}

// TestModuleRemembers: what is made for a node or a slot comes from the node or the slot, or stands in the list.
func TestModuleRemembers(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, module := range []string{"cluster", "stateful"} {
		files, err := filepath.Glob("modules/" + module + "/*.tf")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			for _, block := range regexp.MustCompile(`(?ms)^resource "(\w+)" "\w+" \{\n(.*?)^\}\n`).FindAllStringSubmatch(read(t, file), -1) {
				if !regexp.MustCompile(`(?m)^  for_each `).MatchString(block[2]) {
					continue
				}
				argument := ""
				for line := range strings.Lines(block[2]) {
					if set := regexp.MustCompile(`^ +(\w+) += `).FindStringSubmatch(line); set != nil {
						argument = set[1]
					}
					if strings.Contains(line, "var.") || strings.Contains(line, "local.given.") {
						at := block[1] + "." + argument
						used[at] = true
						assert.NotEmpty(t, past[at], "%s: %s reaches all nodes at once: %s", file, at, line)
					}
				}
			}
		}
	}
	for at := range past {
		assert.True(t, used[at], "%s is in no module", at)
	}
}
