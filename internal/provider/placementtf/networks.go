package placementtf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The name of a network belongs to somebody else, like the name of an image. So it is looked up once, for new nodes,
// and the nodes keep the id: a network that is renamed, doubled or gone changes nothing for nodes that have it.

const keyNetworks = "networks"

var networkShape = shape.Shape{
	Of: "a network", Short: "name", Like: `[{ name = "shared", floating_ip_pool = "public" }]`,
	Keys: map[string]shape.Kind{
		"name": shape.Text, "id": shape.Text, "regions": shape.Texts, "zones": shape.Texts, "port": shape.Flag,
		"subnet_id": shape.Text, "allowed_address_pairs": shape.Texts, "security_group_ids": shape.Texts,
		"port_security_enabled": shape.Flag, "floating_ip_pool": shape.Text, "floating_ips": shape.Any,
		"addresses": shape.Map,
	},
	Needs: [][]string{{"name", "id"}},
	Known: []string{"name", "regions", "zones", "port"},
}

// settings are what a port is made with. A slot's port outlives its servers, so the templates of slots do not have
// them.
var settings = []string{"subnet_id", "allowed_address_pairs", "security_group_ids", "port_security_enabled"}

func (m attachmentModel) ofNetwork() []string {
	if value.GivenBlock(m.Stateful) {
		return []string{"floating_ip_pool"}
	}
	return append(slices.Clone(settings), "floating_ip_pool")
}

var networksType = attributesOf([]string{"id", "name", "subnet_id", "floating_ip_pool", "floating_ip", "address"}, nil,
	[]string{"port", "port_security_enabled", "given"}, []string{"allowed_address_pairs", "security_group_ids"})

// network is a network of a configuration in a region.
type network struct {
	ID   string `json:"id"`
	Word string `json:"word,omitempty"` // name by which nodes that have it call it
}

// networks are those of a configuration that was validated.
func (m attachmentModel) networks() []shape.Object {
	list, _ := networkShape.List(keyNetworks, m.Networks)
	return list
}

// isAt reports whether a place has a network.
func isAt(o shape.Object, at placement.Place) bool {
	in := func(key string, names ...string) bool {
		list, given := o[key].(types.List)
		return !given || slices.ContainsFunc(value.Texts(list),
			func(t string) bool { return slices.Contains(names, t) })
	}
	if o["zones"] != nil && at.Zone == "" {
		return false
	}
	return in("regions", at.Region) && in("zones", at.Zone, at.Region+"/"+at.Zone)
}

// keyOf is by what a network is looked up: its id, else its name.
func keyOf(o shape.Object) string { return cmp.Or(textOf(o, "id"), textOf(o, "name")) }

// labelOf is the name of a network, or its number in the list. Resources for a node have it in their keys.
func labelOf(i int, o shape.Object) string { return cmp.Or(textOf(o, "name"), strconv.Itoa(i)) }

// networksAt returns the networks of new nodes of a place. Values may be unknown.
func (m attachmentModel) networksAt(at placement.Place) (list []part) {
	for i, o := range m.networks() {
		if isAt(o, at) {
			list = append(list, m.networkPart(i, o, at.Region))
		}
	}
	return list
}

func (m attachmentModel) networkPart(i int, o shape.Object, region string) part {
	p, found := partOf(o, m.ofNetwork()), m.sources.Networks[region][keyOf(o)]
	p["name"] = cmp.Or(found.Word, labelOf(i, o))
	switch id := cmp.Or(found.ID, textOf(o, "id")); {
	case o["id"] != nil && o["id"].IsUnknown():
		p["id"] = packed.Unknown
	case id != "":
		p["id"] = id
	}
	port, given := o["port"].(types.Bool)
	needs := func(key string) bool { return o[key] != nil }
	if given && port.ValueBool() ||
		!given && slices.ContainsFunc(append(settings, "floating_ip_pool", "floating_ips"), needs) ||
		value.GivenBlock(m.Stateful) {
		p["port"] = true
	}
	if o["floating_ips"] != nil && !value.GivenBlock(m.Stateful) {
		p["given"] = true
	}
	return p
}

// networksIn reads the networks that a template has.
func networksIn(t roster.Template) (list []part) {
	_ = json.Unmarshal([]byte(t.Values()[keyNetworks]), &list)
	return list
}

// networks shows the networks of a node: as its template has them, and the address of its ordinal.
func (s shownParts) networks(t roster.Template, at placement.Place, ordinal int64) packed.Value {
	list := networksIn(t)
	for _, p := range list {
		addresses, is := s.named(p, at)["floating_ips"].(types.List)
		if n := int(ordinal) - 1; p["given"] == true && is && n >= 0 && n < len(addresses.Elements()) {
			p["floating_ip"] = textOrUnknown(addresses.Elements()[n])
		}
	}
	return show(list, networksType)
}

// slotNetworks shows the networks of a slot: as the template of its node has them, with what its ports are made with
// and its own addresses. The addresses are no part of the template, because a port outlives the servers.
func (s shownParts) slotNetworks(name string, t roster.Template, at placement.Place) packed.Value {
	list := networksIn(t)
	if _, has := t.Values()[keyNetworks]; !has {
		list = s.of.networksAt(at)
	}
	for i, p := range list {
		p = part{"name": p["name"], "id": p["id"], "port": p["port"], "floating_ip_pool": p["floating_ip_pool"]}
		o := s.named(p, at)
		maps.Copy(p, partOf(o, settings))
		if address := elementOf(o["addresses"], name); address != nil {
			p["address"] = textOrUnknown(address)
		}
		if address := elementOf(o["floating_ips"], name); address != nil {
			p["floating_ip"], p["given"] = textOrUnknown(address), true
		}
		list[i] = p
	}
	return show(list, networksType)
}

// named returns the network of the configuration that a template has.
func (s shownParts) named(p part, at placement.Place) shape.Object {
	for i, o := range s.given {
		if isAt(o, at) && s.of.networkPart(i, o, at.Region)["name"] == p["name"] {
			return o
		}
	}
	return nil
}

func textOrUnknown(v interface{ IsUnknown() bool }) any {
	if v.IsUnknown() {
		return packed.Unknown
	}
	return v.(types.String).ValueString()
}

// validateNetworks refuses networks that do not fit the places and the slots.
func (m attachmentModel) validateNetworks(diags *diag.Diagnostics) {
	networks, err := networkShape.List(keyNetworks, m.Networks)
	if err != nil || !value.Given(m.Networks) {
		return
	}
	refuse := func(at path.Path, format string, args ...any) {
		diags.AddAttributeError(at, "Invalid argument", fmt.Sprintf(format, args...))
	}
	if len(networks) == 0 {
		refuse(path.Root(keyNetworks), "networks has no network. Write one, such as %s.", networkShape.Like)
	}
	for i, o := range networks {
		at := path.Root(keyNetworks).AtListIndex(i)
		_, list := o["floating_ips"].(types.List)
		_, bySlot := o["floating_ips"].(types.Map)
		switch stateful := value.GivenBlock(m.Stateful) || m.Stateful.IsUnknown(); {
		case stateful && list:
			refuse(at.AtName("floating_ips"), "networks[%d].floating_ips is a list, and slots have addresses by their "+
				"names: { web-0 = \"203.0.113.10\" }.", i)
		case !stateful && bySlot:
			refuse(at.AtName("floating_ips"), "networks[%d].floating_ips is a map, which needs the block stateful: "+
				"without slots it is a list, of which each node has the one of its ordinal.", i)
		case !stateful && o["addresses"] != nil:
			refuse(at.AtName("addresses"), "networks[%d].addresses needs the block stateful: without slots a new "+
				"server has its port before the old one loses its own.", i)
		case list && (o["zones"] != nil || m.regionsWith(o) != 1):
			refuse(at.AtName("floating_ips"), "networks[%d].floating_ips are addresses of one region, with all its "+
				"zones. Name it: regions = [\"RegionOne\"].", i)
		}
	}
	m.validateNetworkPlaces(networks, refuse)
}

// regionsWith counts the regions that have a network. Regions that are not known yet do not matter.
func (m attachmentModel) regionsWith(o shape.Object) (count int) {
	if !places.Named(m.Regions.List) {
		return 1
	}
	for _, r := range m.listedRegions() {
		if isAt(shape.Object{"regions": o["regions"]}, placement.Place{Region: r.Name}) {
			count++
		}
	}
	return count
}

// validateNetworkPlaces refuses a place without a network, and with one twice.
func (m attachmentModel) validateNetworkPlaces(networks []shape.Object, refuse func(path.Path, string, ...any)) {
	if !places.Named(m.Regions.List) || len(networks) == 0 {
		return
	}
	for _, r := range m.listedRegions() {
		all := []placement.Place{{Region: r.Name}}
		for i, z := range r.Zones {
			if i == 0 {
				all = nil
			}
			all = append(all, placement.Place{Region: r.Name, Zone: z.Name})
		}
		for _, at := range all {
			first := map[string]int{}
			for i, o := range networks {
				if !isAt(o, at) {
					continue
				}
				for _, key := range []string{"id", "name"} {
					text := textOf(o, key)
					if was, twice := first[key+text]; twice && text != "" {
						refuse(path.Root(keyNetworks).AtListIndex(i),
							"networks[%d] is networks[%d] again, in %s.", i, was, at)
					}
					first[key+text] = i
				}
			}
			if len(first) == 0 {
				refuse(path.Root(keyNetworks),
					"networks has none for %s, which regions has: no server could be made there.", at)
			}
		}
	}
}

// givesAddresses reports whether a network has a list of addresses, of which each node has the one of its ordinal.
func (m attachmentModel) givesAddresses() bool {
	return slices.ContainsFunc(m.networks(), func(o shape.Object) bool {
		_, list := o["floating_ips"].(types.List)
		return list
	})
}

// refuseFewAddresses refuses lists that are shorter than the nodes of their region, with a batch.
func (p *attachmentPlanner) refuseFewAddresses(d decision) {
	for i, o := range p.plan.networks() {
		list, is := o["floating_ips"].(types.List)
		if !is || p.diags.HasError() {
			continue
		}
		var nodes, last int64
		for _, n := range d.next.Nodes {
			if isAt(o, n.Place) {
				nodes, last = nodes+1, max(last, n.Ordinal)
			}
		}
		if needs := max(nodes+d.policy.Batch(), last); int64(len(list.Elements())) < needs {
			p.diags.AddAttributeError(path.Root(keyNetworks).AtListIndex(i).AtName("floating_ips"), "Too few addresses",
				fmt.Sprintf("networks[%d].floating_ips has %s, and %d are needed: one for each node and for each of "+
					"max_batch_size.", i, text.Count(int64(len(list.Elements())), "address"), needs))
		}
	}
}

// refuseStrangers refuses addresses of slots that are not there and that no new node gets.
func (p *attachmentPlanner) refuseStrangers(d decision) {
	slots := slices.Sorted(maps.Keys(d.next.Slots))
	for i, o := range p.plan.networks() {
		for _, key := range []string{"addresses", "floating_ips"} {
			addresses := value.In[types.Map](o, key)
			for _, name := range slices.Sorted(maps.Keys(addresses.Elements())) {
				if slices.Contains(slots, name) || p.plan.naming().Gives(name, d.next.Next) {
					continue
				}
				hint := fmt.Sprintf("Slots: %s.", text.Few(slots))
				if near := shape.Nearest(name, slots); near != "" {
					hint = fmt.Sprintf("Did you mean %q?", near)
				}
				p.diags.AddAttributeError(path.Root(keyNetworks), "No such slot", fmt.Sprintf(
					"networks[%d].%s has %q, which is no slot, and no new node gets that name. %s", i, key, name, hint))
			}
		}
	}
}
