package placementtf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// networkWords are the names by which nodes of a region call the networks that they have, by id.
func networkWords(r roster.Roster, region string) map[string][]string {
	words := map[string][]string{}
	for _, t := range templatesIn(r, region) {
		for _, p := range networksIn(t) {
			id, _ := p["id"].(string)
			name, _ := p["name"].(string)
			if id != "" && !slices.Contains(words[id], name) {
				words[id] = append(words[id], name)
			}
		}
	}
	return words
}

// idOf is the one id that nodes have by a name.
func idOf(words map[string][]string, name string) (id string) {
	for has, called := range words {
		if slices.Contains(called, name) {
			if id != "" {
				return ""
			}
			id = has
		}
	}
	return id
}

// wordOf is the name by which nodes call a network: the name, a new name and the id of a network make one template. A
// name that the configuration uses is its own.
func (m attachmentModel) wordOf(words map[string][]string, id string) string {
	called, count := slices.Clone(words[id]), 0
	for i, o := range m.networks() {
		label := labelOf(i, o)
		called = slices.DeleteFunc(called, func(word string) bool { return word == label })
		if id == textOf(o, "id") {
			count++
		}
	}
	if len(called) == 0 || count > 1 {
		return ""
	}
	return slices.Min(called)
}

func (s *sources) putNetworks(region string, networks map[string]network) {
	if s.Networks == nil {
		s.Networks = map[string]map[string]network{}
	}
	if len(networks) > 0 {
		s.Networks[region] = networks
	}
}

func (s *sources) putPools(region, text string) {
	if s.Pools == nil {
		s.Pools = map[string]string{}
	}
	s.Pools[region] = text
}

// resolveNetworks looks up the names that are new in the plan. A name that nodes have is the network that they have.
func (p *attachmentPlanner) resolveNetworks(
	ctx context.Context, now roster.Roster, region string, closed bool, into *sources,
) {
	words, found := networkWords(now, region), map[string]network{}
	for i, o := range p.plan.networks() {
		key, id := keyOf(o), textOf(o, "id")
		inRegion := isAt(shape.Object{"regions": o["regions"]}, placement.Place{Region: region})
		if key == "" || !inRegion || o["id"] != nil && id == "" {
			continue
		}
		if id == "" {
			id = cmp.Or(p.memory.Sources.Networks[region][key].ID, idOf(words, key))
		}
		if id == "" && !closed {
			id = p.newNetwork(ctx, region, key, words, path.Root(keyNetworks).AtListIndex(i))
		}
		found[key] = network{ID: id, Word: p.plan.wordOf(words, id)}
	}
	into.putNetworks(region, found)
}

// newNetwork looks up the network of a name. If there are several, it is the one that nodes have.
func (p *attachmentPlanner) newNetwork(
	ctx context.Context, region, name string, words map[string][]string, at path.Path,
) string {
	cloud := p.backend.Get(ctx, p.diags)
	if cloud == nil {
		return ""
	}
	list, err := cloud.NetworksNamed(ctx, region, name)
	if value.Is[*openstack.NoEndpointError](err) {
		return ""
	}
	var ids, had []string
	for _, n := range list {
		ids = append(ids, string(n.ID))
		if _, has := words[string(n.ID)]; has {
			had = append(had, string(n.ID))
		}
	}
	switch {
	case err != nil:
		p.diags.AddAttributeError(at, "Unable to look up networks", text.Sentence(err))
	case len(ids) == 1:
		return ids[0]
	case len(had) == 1:
		return had[0]
	case len(ids) == 0:
		p.diags.AddAttributeError(at, "Unknown network", fmt.Sprintf("Neutron in region %q shows no network with the "+
			"name %q. If it is an id, write { id = %q }.", region, name, name))
	default:
		p.diags.AddAttributeError(at, "Several networks have the name", fmt.Sprintf("Neutron in region %q shows %d "+
			"networks with the name %q: %s. Give the id of one: { name = %q, id = %q }.", region, len(ids), name,
			strings.Join(ids, ", "), name, ids[0]))
	}
	return ""
}

// renewNetworks looks again whether the remembered networks are there. One that is gone is looked up by its name.
func (m attachmentModel) renewNetworks(
	ctx context.Context, cloud *openstack.Cloud, r roster.Roster, region string, before map[string]network,
) (map[string]network, error) {
	words, after := networkWords(r, region), map[string]network{}
	for _, o := range m.networks() {
		key, id := keyOf(o), textOf(o, "id")
		if id == "" {
			id = cmp.Or(before[key].ID, idOf(words, key))
		}
		if id == "" {
			continue // not in this region, or never looked up
		}
		if textOf(o, "id") == "" {
			there, err := cloud.NetworkExists(ctx, region, id)
			if err != nil {
				return nil, err
			}
			if !there {
				list, err := cloud.NetworksNamed(ctx, region, key)
				if err != nil {
					return nil, err
				}
				if len(list) == 1 {
					id = string(list[0].ID)
				}
			}
		}
		after[key] = network{ID: id, Word: m.wordOf(words, id)}
	}
	return after, nil
}
