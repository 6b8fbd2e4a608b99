package placementtf

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/vmihailenco/msgpack/v5"
)

// A server listens at a port for life, so each node keeps the port, the subnet and the monitor of each of its pools. A
// pool that is added or removed is another matter: all nodes take it over at once, and no server is replaced for it.

const keyPools = "pools"

var poolShape = shape.Shape{
	Of: "a pool", Like: `{ http = { region = "RegionOne", pool_id = "...", protocol_port = 80 } }`,
	Keys: map[string]shape.Kind{
		"region": shape.Text, "pool_id": shape.Text, "protocol_port": shape.Whole, "subnet_id": shape.Text,
		"monitor_address": shape.Text, "monitor_port": shape.Whole, "backup": shape.Flag,
	},
	Needs:  [][]string{{"region"}, {"pool_id"}, {"protocol_port"}},
	Known:  []string{"region"},
	Bounds: map[string][2]int64{"protocol_port": {1, 65535}, "monitor_port": {1, 65535}},
}

// ofPool is what a node keeps of a pool.
var ofPool = []string{"protocol_port", "subnet_id", "monitor_address", "monitor_port"}

var poolsType = attributesOf([]string{"name", "subnet_id", "monitor_address"},
	[]string{"protocol_port", "monitor_port"},
	[]string{"backup"}, nil)

// pools are those of a configuration that was validated.
func (m attachmentModel) pools() map[string]shape.Object {
	all, _ := poolShape.Map(keyPools, m.Pools)
	return all
}

// poolsAt returns the pools of new nodes of a region. Values may be unknown.
func (m attachmentModel) poolsAt(region string) map[string]part {
	pools := map[string]part{}
	for name, o := range m.pools() {
		if o["region"].Equal(types.StringValue(region)) {
			pools[name] = partOf(o, ofPool)
		}
	}
	return pools
}

// poolsIn reads the pools that a template has.
func poolsIn(text string) (all map[string]part) {
	_ = json.Unmarshal([]byte(text), &all)
	return all
}

// poolsOf are the pools that an element of parts shows.
func poolsOf(shown shownPart) map[string]part {
	var list []part
	_ = msgpack.Unmarshal(shown.Pools, &list)
	all := map[string]part{}
	for _, p := range list {
		name, _ := p["name"].(string)
		for key, v := range p {
			if v == nil || !slices.Contains(ofPool, key) {
				delete(p, key)
			}
		}
		all[name] = p
	}
	return all
}

// sameSettings reports whether pools that both have are the same in both.
func sameSettings(a, b map[string]part) bool {
	for name, p := range a {
		if other, both := b[name]; both && asJSON(p) != asJSON(other) {
			return false
		}
	}
	return true
}

// poolText returns what the templates of new nodes of a region have of pools. It changes with a setting of a pool, and
// not with a pool that is added or removed: it is the text that nodes have as long as their pools are as the
// configuration says.
func (p *attachmentPlanner) poolText(now roster.Roster, shown shownParts, region string) string {
	wanted := p.plan.poolsAt(region)
	fits := map[string]bool{}
	for _, t := range templatesIn(now, region) {
		text := t.Values()[keyPools]
		fits[text] = sameSettings(wanted, poolsIn(text))
	}
	seen := map[[2]string]bool{}
	for name, n := range now.Nodes {
		key := shown.nodes[name].Parts
		like := [2]string{string(n.Template), key}
		if n.Region != region || seen[like] {
			continue
		}
		seen[like] = true
		text := n.Template.Values()[keyPools]
		fits[text] = fits[text] && sameSettings(wanted, poolsOf(shown.before[key]))
	}
	full := ""
	if len(wanted) > 0 {
		full = asJSON(wanted)
	}
	for _, text := range append([]string{p.memory.Sources.Pools[region], full}, slices.Sorted(maps.Keys(fits))...) {
		if fits[text] {
			return text
		}
	}
	return full
}

// pools shows the pools of nodes that the configuration has. Each is as it was shown before, else as the template says.
// A pool that is new since then is as the configuration says.
func (s shownParts) pools(before shownPart, n roster.Node) packed.Value {
	has, was, given := poolsIn(n.Template.Values()[keyPools]), poolsOf(before), s.of.pools()
	var list []part
	for _, pool := range slices.Sorted(maps.Keys(s.of.poolsAt(n.Region))) {
		p := part{}
		for _, of := range []map[string]part{was, has, s.of.poolsAt(n.Region)} {
			if had, there := of[pool]; there {
				p = maps.Clone(had)
				break
			}
		}
		p["name"] = pool
		maps.Copy(p, partOf(given[pool], []string{"backup"})) // the balancer's, not the server's
		list = append(list, p)
	}
	return show(list, poolsType)
}

// validatePools refuses two pools that would make one member.
func (m attachmentModel) validatePools(diags *diag.Diagnostics) {
	pools, first := m.pools(), map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		o := pools[name]
		key := asJSON([]any{textOf(o, "region"), textOf(o, "pool_id"), partOf(o, []string{"protocol_port"})})
		if was, twice := first[key]; twice && textOf(o, "pool_id") != "" {
			diags.AddAttributeError(path.Root(keyPools).AtMapKey(name), "Invalid argument", fmt.Sprintf(
				"pools[%q] is pools[%q] again. Octavia takes one member of one address and port.", name, was))
		}
		first[key] = name
	}
}

// refuseRenamed refuses another name of a pool: its members would be made before the ones that they replace leave, and
// Octavia takes no two of one address and port.
func (p *attachmentPlanner) refuseRenamed() {
	if p.state == nil {
		return
	}
	before, now := p.state.pools(), p.plan.pools()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		for _, was := range slices.Sorted(maps.Keys(before)) {
			id := textOf(now[name], "pool_id")
			if now[was] == nil && before[name] == nil && id != "" && id == textOf(before[was], "pool_id") {
				p.diags.AddAttributeError(path.Root(keyPools).AtMapKey(name), "The pool has another name", fmt.Sprintf(
					"pools[%q] is the pool that was pools[%q]. Members are known by that name, and Octavia takes no "+
						"two of one address and port. Keep the name, or remove %q, apply, and then add %q.",
					name, was, was, name))
			}
		}
	}
}

// refuseUnpooled refuses pools of regions that have no nodes and are not listed.
func (p *attachmentPlanner) refuseUnpooled(d decision) {
	regions := map[string]bool{}
	for _, r := range d.written {
		regions[r.Name] = true
	}
	for _, n := range d.next.Nodes {
		regions[n.Region] = true
	}
	pools := p.plan.pools()
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		if region := textOf(pools[name], "region"); !regions[region] {
			p.diags.AddAttributeError(path.Root(keyPools).AtMapKey(name), "Unknown region", fmt.Sprintf(
				"pools[%q].region is %q, where the cluster has no node and regions lists none.", name, region))
		}
	}
}
