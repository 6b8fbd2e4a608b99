package planview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// instances are the servers of the nodes, with more arguments.
func instances(more string) string {
	return `
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = "IMAGE"
  flavor_id         = "FLAVOR"
  ` + more + `
}
`
}

const (
	noNetwork = `network_mode = "none"`
	userData  = noNetwork + "\n  user_data = \"#!/bin/sh\""
	bastion   = `
resource "openstack_compute_instance_v2" "bastion" {
  name         = "bastion"
  image_id     = "IMAGE"
  flavor_id    = "FLAVOR"
  network_mode = "none"
}
`
	// slots are resources that outlive the servers.
	slots = `
resource "openstack_blockstorage_volume_v3" "web" {
  for_each = stackpolicy_placement_attachment.web.slots
  region   = each.value.region
  size     = 1
}
`
	// others belong to the nodes too, and planview does not know their type.
	others = `
resource "terraform_data" "web" {
  for_each         = stackpolicy_placement_attachment.web.nodes
  triggers_replace = "IMAGE"
}
`
)

// serverCases are plans that do more to servers than the node changes need, with terraform-provider-openstack.
func serverCases() []planCase {
	six, four := []string{"desired_capacity = 6", threeZones}, []string{"desired_capacity = 4", threeZones, `deletion { candidates = ["web-0", "web-4"] }`}
	return []planCase{
		{name: "user-data", before: six, after: six, made: instances(noNetwork), remade: instances(userData)},
		{name: "rebuild", before: six, after: four, made: instances(noNetwork) + bastion,
			remade: strings.NewReplacer("IMAGE", "another-image", "FLAVOR", "another-flavor").Replace(instances(noNetwork))},
		{name: "other-provider", before: six, after: six, made: others, remade: strings.Replace(others, "IMAGE", "another-image", 1)},
		{name: "destroy-all", before: six, made: instances(noNetwork)},
		{name: "release", before: stateful(5, "RETAIN", ""), twice: stateful(3, "RETAIN", ""), after: stateful(3, "RETAIN", `"web-1", "web-3"`),
			made: instances(noNetwork) + slots, remade: instances(noNetwork) + slots},
		{name: "slot-with-node", before: stateful(4, "DELETE", ""), after: stateful(3, "DELETE", ""), made: instances(noNetwork) + slots,
			remade: instances(noNetwork) + slots},
		// The apply of before fails when it creates the second of two servers.
		{name: "second-try", before: []string{"desired_capacity = 3", threeZones}, twice: []string{"desired_capacity = 5", threeZones},
			after: []string{"desired_capacity = 5", threeZones},
			made:  instances(noNetwork), remade: instances(noNetwork), fails: true},
		{name: "lost-server", before: six, after: six, made: instances(noNetwork), remade: instances(noNetwork),
			happen: func(cloud *fakecloud.Cloud, servers map[string]string) {
				cloud.RemoveServers("RegionOne", servers["web-3"])
			}},
	}
}

func stateful(size int, removal, release string) []string {
	return []string{fmt.Sprintf("desired_capacity = %d", size), threeZones, `deletion { criteria = "HIGHEST_INDEX_FIRST" }`,
		fmt.Sprintf("stateful {\n    on_removal = %q\n    release    = [%s]\n  }", removal, release)}
}

// TestExplained: a change that a node asks for is listed once, and any other change is listed at the attachment of
// the node.
func TestExplained(t *testing.T) {
	t.Parallel()
	// web-0 leaves, web-1 stays, and so does web-0-x, web-2 gets another template, web-3 moves to another zone, web-4 is
	// added, web-5 is made again, web-6 leaves, and its slot stays.
	node := func(index int, zone, mark string) string {
		return fmt.Sprintf(`{"index": %d, "region": "r", "zone": %q, "mark": %q, "generation": 1}`, index, zone, mark)
	}
	attachment := func(module string) string {
		return fmt.Sprintf(`{"address": %[1]q, "module_address": %[2]q, "mode": "managed",
			"type": "stackpolicy_placement_attachment", "change": {"actions": ["update"],
			"before": {"cluster": "web", "slots": {"web-1": {}, "web-6": {}, "web-7": {}, "web-8": {}},
				"nodes": {"web-0-x": %[4]s, "web-6": %[3]s, "web-0": %[3]s, "web-1": %[4]s, "web-2": %[5]s, "web-3": %[6]s, "web-5": %[10]s}},
			"after": {"cluster": "web", "node_name_pattern": "{cluster}-{index}", "next_index": 10, "slots": {"web-1": {}, "web-6": {}, "web-8": {}},
				"nodes": {"web-0-x": %[4]s, "web-1": %[4]s, "web-2": %[7]s, "web-3": %[8]s, "web-4": %[9]s, "web-5": %[11]s}}}}`,
			module+"stackpolicy_placement_attachment.web", strings.TrimSuffix(module, "."), node(0, "a", "x"), node(1, "a", "x"),
			node(2, "a", "x"), node(3, "a", "x"),
			node(2, "a", "y"), node(3, "b", "x"), node(4, "b", "y"),
			node(5, "a", "x"), strings.Replace(node(5, "a", "x"), `"generation": 1`, `"generation": 2`, 1))
	}
	const other, volume, resource = "", "openstack_blockstorage_volume_v3", `stackpolicy_deletion_attachment`
	const server = "openstack_compute_instance_v2"
	for _, c := range []struct{ name, kind, address, actions, more, change, want string }{
		{"leaves", server, `S["web-0"]`, "delete", "", "", other},
		{"leaves and is forgotten", server, `S["web-0"]`, "forget", "", "", "1 server is forgotten"},
		{"stays", server, `S["web-1"]`, "no-op", "", "", other},
		{"is destroyed", server, `S["web-1"]`, "delete", "", "", "1 server is destroyed"},
		{"former server", server, `S["web-1"]`, "delete", `"deposed": "abc",`, "", "an earlier apply replaced it"},
		{"tainted", server, `S["web-1"]`, "delete create", `"action_reason": "replace_because_tainted",`, "",
			"replaced because it is tainted: destroyed, then"},
		{"by request", server, `S["web-1"]`, "create delete", `"action_reason": "replace_by_request",`, "",
			"because -replace asks for it: a new one is created, then"},
		{"trigger", server, `S["web-1"]`, "delete create", `"action_reason": "replace_by_triggers",`, "", "because of replace_triggered_by: "},
		{"arguments", server, `S["web-1"]`, "delete create", "", `"replace_paths": [["user_data"], ["network", 0, "name"]],`,
			"because of network, user_data: "},
		{"rebuilt", server, `S["web-1"]`, "update", "", `"before": {"image_id": "x"}, "after": {"image_id": "y"},`, "is rebuilt in place"},
		{"rebuilt to what is not known", server, `S["web-1"]`, "update", "",
			`"before": {"image_id": "x"}, "after": {}, "after_unknown": {"image_id": true},`, "is rebuilt in place"},
		{"resized", server, `S["web-1"]`, "update", "", `"before": {"flavor_name": "x"}, "after": {"flavor_name": "y"},`, "is resized in place"},
		{"stopped", server, `S["web-1"]`, "update", "", `"before": {"power_state": "active"}, "after": {"power_state": "shutoff"},`, "1 server is stopped"},
		{"started", server, `S["web-1"]`, "update", "", `"before": {"power_state": "shutoff"}, "after": {"power_state": "active"},`,
			"is changed in place: power_state"},
		{"tags", server, `S["web-1"]`, "update", "", `"before": {"tags": ["x"], "name": "a"}, "after": {"tags": null, "name": "a"},`,
			"is changed in place: tags"},
		{"another template", server, `S["web-2"]`, "update", "", `"before": {"image_id": "x"}, "after": {"image_id": "y"},`, other},
		{"another template, another server", server, `S["web-2"]`, "delete create", "", "", "1 server is replaced"},
		{"another place", server, `S["web-3"]`, "delete create", "", "", other},
		{"made again", server, `S["web-5"]`, "delete create", "", "", other},
		{"made again, the new one first", server, `S["web-5"]`, "create delete", "", "", "destroyed. Nova refuses the second server of a port"},
		{"tainted in a slot, the new one first", server, `S["web-1"]`, "create delete", `"action_reason": "replace_because_tainted",`, "",
			"No node change asks for this: 1 server is replaced"},
		{"made again, and only destroyed", server, `S["web-5"]`, "delete", "", "", "1 server is destroyed"},
		{"attachment to one made again", "openstack_compute_volume_attach_v2", `S["web-5-wal"]`, "delete", "", "", other},
		{"volume of one made again", volume, `S["web-5-wal"]`, "delete", "", "", "1 openstack_blockstorage_volume_v3 resource is destroyed"},
		{"generation of one made again", "terraform_data", `S["web-5"]`, "update", "", "", other},
		{"added", server, `S["web-4"]`, "create", "", "", other},
		{"added, and there", server, `S["web-4"]`, "delete create", "", "", "1 server is replaced"},
		{"volume of one that leaves", volume, `S["web-0"]`, "delete", "", "", other},
		{"volume of one that stays", volume, `S["web-1"]`, "delete", "", "", "1 openstack_blockstorage_volume_v3 resource is destroyed"},
		{"member of one that leaves", "openstack_lb_member_v2", `S["web-0/http"]`, "delete", "", "", other},
		{"port of one that leaves", "openstack_networking_port_v2", `S["web-0/1/shared"]`, "delete", "", "", other},
		{"address of one that leaves", "openstack_networking_floatingip_v2", `S["web-0-shared"]`, "delete", "", "", other},
		{"port of one that stays", "openstack_networking_port_v2", `S["web-1/1/shared"]`, "delete", "", "",
			"No node change asks for this: 1 openstack_networking_port_v2 resource is destroyed"},
		{"longer name", volume, `S["web-0-x-wal"]`, "delete", "", "", "No node change asks for this: 1 openstack_blockstorage_volume_v3"},
		{"name that only begins like one that leaves", volume, `S["web-0x"]`, "delete", "", "", "They belong to no node: 1 openstack_blockstorage_volume_v3"},
		{"volume of one that leaves its slot", volume, `S["web-6"]`, "delete", "", "", "No node change asks for this: 1 openstack_blockstorage_volume_v3"},
		{"server of one that leaves its slot", server, `S["web-6"]`, "delete", "", "", other},
		{"of a node that an earlier plan removed", server, `S["web-9"]`, "delete", "", "", "Missing or left over: 1 server is destroyed"},
		{"of a node that never was", server, `S["web-10"]`, "delete", "", "", "They belong to no node: 1 server is destroyed"},
		{"server in a slot that is kept", server, `S["web-8"]`, "delete", "", "", "Missing or left over: 1 server is destroyed"},
		{"volume of a slot that is given up", volume, `S["web-7"]`, "delete", "", "", other},
		{"volume of a slot that is kept", volume, `S["web-8"]`, "delete", "", "",
			"No node change asks for this: 1 openstack_blockstorage_volume_v3 resource is destroyed"},
		{"missing", server, `S["web-1"]`, "create", "", "", "Missing or left over: 1 server is created"},
		{"in a module for each", server, `module.node["web-1"].S.this`, "delete", "", "", "1 server is destroyed"},
		{"drained though it stays", resource, `S["web-1"]`, "delete", "", "", "1 stackpolicy_deletion_attachment resource is destroyed"},
		{"of no node", server, `S["db-1"]`, "delete", "", "", "They belong to no node: 1 server is destroyed"},
		{"of a list", server, `S[0]`, "create", "", "", "They belong to no node: 1 server is created"},
		{"of no node and no server", volume, `S["db-1"]`, "delete", "", "", "They belong to no node: 1 openstack_blockstorage_volume_v3 resource is destroyed"},
		{"of no node and no server, created", volume, `S["db-1"]`, "create", "", "", other},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			address := strings.Replace(c.address, "S", c.kind, 1)
			actions := `"` + strings.ReplaceAll(c.actions, " ", `", "`) + `"`
			for _, module := range []string{"", "module.b.", `module.a["x.y"].`, "module.a2."} {
				kind := c.kind
				if kind == server && module == "" {
					kind = "huaweicloud_compute_instance"
				}
				change := fmt.Sprintf(`{"address": %q, "module_address": %q, "mode": "managed", "type": %q, %s "change": {%s "actions": [%s]}}`,
					module+address, strings.TrimSuffix(module, "."), kind, c.more, c.change, actions)
				attachments := attachment(module)
				if module != "" {
					attachments = attachment("module.a.") + "," + attachments // its name is the beginning of another name
				}
				view := readable(t, []byte(`{"format_version": "1.2", "resource_changes": [`+attachments+","+change+"]}"))
				got := planview.Markdown(view)
				if c.want == other {
					assert.NotRegexp(t, "No node change asks|no node:", got, "it is explained")
					continue
				}
				assert.Contains(t, got, c.want)
				its := 0
				for _, a := range view.Attachments {
					if strings.HasPrefix(a.Address, module) {
						its += len(a.Servers) + len(a.Undone)
					}
				}
				assert.Equal(t, 1, len(view.Servers)+its, "%s: it is at the attachment of another module:\n%s", module, got)
			}
		})
	}
}

// TestLost: what hangs on a server that is gone is made again with it, except for what has data or an address.
func TestLost(t *testing.T) {
	t.Parallel()
	const nodes = `{"cluster": "web", "nodes": {"web-1": {"index": 1, "region": "r", "template": {}, "generation": 1}}}`
	for kind, unasked := range map[string]int{"openstack_lb_member_v2": 0, "openstack_networking_port_v2": 1, "openstack_blockstorage_volume_v3": 1} {
		text := `{"format_version": "1.2", "resource_changes": [{"address": "stackpolicy_placement_attachment.web", "mode": "managed",
			"type": "stackpolicy_placement_attachment", "change": {"actions": ["no-op"], "before": ` + nodes + `, "after": ` + nodes + `}}`
		for of, actions := range map[string]string{kind: `"delete", "create"`, "openstack_compute_instance_v2": `"create"`} {
			text += fmt.Sprintf(`, {"address": "%[1]s.node[\"web-1\"]", "mode": "managed", "type": %[1]q, "change": {"actions": [%[2]s]}}`, of, actions)
		}
		assert.Len(t, readable(t, []byte(text+"]}")).Unasked(), unasked, kind)
	}
}
