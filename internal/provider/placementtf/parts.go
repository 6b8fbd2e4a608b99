package placementtf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Networks, pools and disks are parts of what a node is made from. A configuration writes them as objects, which are
// read strictly. The template of a node has them as JSON, so that a change of one is a change of the template. The
// attribute parts shows them as typed lists, so that a configuration loops over what each node has, also while a value
// is not known yet. Many nodes share an element of it, so a plan shows only parts that change.

// partKeys are the keys of a template that the arguments of parts fill in, with the arguments.
var partKeys = map[string]string{
	keyNetworks: keyNetworks, keyPools: keyPools,
	keyDisks: keyDisks, roster.KeyBootVolume: keyDisks, roster.KeyVolumes: keyDisks,
}

// part is a network or a pool as a template has it. A value that is not known yet is [packed.Unknown].
type part map[string]any

// partArgument is an argument whose objects are parts.
type partArgument struct {
	name  string
	wrong error // what is wrong with it, or not known
}

func (m attachmentModel) partArguments() []partArgument {
	_, networks := networkShape.List(keyNetworks, m.Networks)
	_, pools := poolShape.Map(keyPools, m.Pools)
	_, disks := diskShape.Map(keyDisks, m.Disks)
	return []partArgument{{keyNetworks, networks}, {keyPools, pools}, {keyDisks, disks}}
}

// validateParts says what is wrong with the parts. A plan refuses what it must know and does not.
func (m attachmentModel) validateParts(diags *diag.Diagnostics) {
	for _, argument := range m.partArguments() {
		if argument.wrong != nil && !value.Is[shape.UnknownError](argument.wrong) {
			diags.AddAttributeError(path.Root(argument.name), "Invalid argument", shape.Ended(argument.wrong))
		}
	}
	m.validateNetworks(diags)
	m.validatePools(diags)
	m.validateDisks(diags)
}

// unreadPart returns the first thing in the parts that a plan must know and does not.
func (m attachmentModel) unreadPart() (at string, unread bool) {
	if unknown, is := errors.AsType[shape.UnknownError](m.Regions.Wrong); is {
		return unknown.At, true
	}
	for _, argument := range m.partArguments() {
		if unknown, is := errors.AsType[shape.UnknownError](argument.wrong); is {
			return unknown.At, true
		}
	}
	return "", false
}

// unknownPart returns the first value that a template has of the parts and that is not known.
func (m attachmentModel) unknownPart() (at string, unknown bool) {
	for i, o := range m.networks() {
		for _, key := range append([]string{"id"}, m.ofNetwork()...) {
			if shape.HoldsUnknown(o[key]) {
				return fmt.Sprintf("networks[%d].%s", i, key), true
			}
		}
	}
	pools := m.pools()
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		for _, key := range ofPool {
			if shape.HoldsUnknown(pools[name][key]) {
				return fmt.Sprintf("pools[%q].%s", name, key), true
			}
		}
	}
	disks := m.disks()
	for _, name := range slices.Sorted(maps.Keys(disks)) {
		if shape.HoldsUnknown(disks[name]["type"]) {
			return fmt.Sprintf("disks[%q].type", name), true
		}
	}
	return "", false
}

func (m attachmentModel) partsKnown() bool {
	_, unknown := m.unknownPart()
	return !unknown
}

// partPlaces are the places whose templates have parts: all regions, and their zones.
func (m attachmentModel) partPlaces() (all []placement.Place) {
	known := map[string]bool{}
	for _, r := range m.listedRegions() {
		known[r.Name] = true
		all = append(all, placement.Place{Region: r.Name})
		for _, z := range r.Zones {
			all = append(all, placement.Place{Region: r.Name, Zone: z.Name})
		}
	}
	for _, region := range slices.Sorted(maps.Keys(m.sources.Networks)) {
		if !known[region] {
			all = append(all, placement.Place{Region: region})
		}
	}
	return all
}

// partTexts returns what the templates of places have of networks and pools, as far as it is known.
func (m attachmentModel) partTexts() map[placement.Place]map[string]string {
	texts := map[placement.Place]map[string]string{{}: m.diskTexts()}
	for _, at := range m.partPlaces() {
		texts[at] = map[string]string{}
		if networks := m.networksAt(at); len(networks) > 0 && allKnown(networks...) {
			texts[at][keyNetworks] = asJSON(networks)
		}
		pools := m.poolsAt(at.Region)
		sticky, remembered := m.sources.Pools[at.Region]
		switch {
		case remembered:
			texts[at][keyPools] = sticky
		case len(pools) > 0 && allKnown(slices.Collect(maps.Values(pools))...):
			texts[at][keyPools] = asJSON(pools)
		}
	}
	return texts
}

// elementOf returns the value of a key in a map, or nil.
func elementOf(in attr.Value, key string) attr.Value {
	all, _ := in.(types.Map)
	return all.Elements()[key]
}

func textOf(o shape.Object, key string) string {
	t := value.In[types.String](o, key)
	return t.ValueString()
}

// partOf translates those attributes of an object that are given.
func partOf(o shape.Object, keys []string) part {
	p := part{}
	for _, key := range keys {
		switch v := o[key].(type) {
		case types.String:
			p[key] = v.ValueString()
		case types.Int64:
			p[key] = v.ValueInt64()
		case types.Bool:
			p[key] = v.ValueBool()
		case types.List:
			p[key] = append([]string{}, value.Texts(v)...)
		}
		if shape.HoldsUnknown(o[key]) {
			p[key] = packed.Unknown
		}
	}
	return p
}

func allKnown(parts ...part) bool {
	return !slices.ContainsFunc(parts, func(p part) bool {
		for _, v := range p {
			if _, unknown := v.(packed.Value); unknown {
				return true
			}
		}
		return false
	})
}

func asJSON(v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // texts, numbers and lists of these
	return strings.TrimSpace(text.String())
}

// show encodes a list of objects. A field that an object lacks is null, except for flags that are always given.
func show(list []part, as types.ListType) packed.Value {
	fields := as.ElemType.(types.ObjectType).AttrTypes
	names := slices.Sorted(maps.Keys(fields))
	var text bytes.Buffer
	encoder := msgpack.NewEncoder(&text)
	encoder.UseCompactInts(true)
	_ = encoder.EncodeArrayLen(len(list)) // a buffer takes everything
	for _, object := range list {
		_ = encoder.EncodeMapLen(len(names))
		for _, name := range names {
			v := object[name]
			if n, is := v.(float64); is { // it was JSON
				v = int64(n)
			}
			if v == nil && slices.Contains(flags, name) {
				v = false
			}
			_ = encoder.EncodeMulti(name, v)
		}
	}
	return packed.Value(text.Bytes())
}

// flags are never null in what nodes show, so that a configuration may ask for them.
var flags = []string{"port", "given", "boot"}

// attributesOf returns the type of a list of objects.
func attributesOf(texts, numbers, flags, lists []string) types.ListType {
	of := map[string]attr.Type{}
	plain := map[attr.Type][]string{types.StringType: texts, types.Int64Type: numbers, types.BoolType: flags}
	for as, names := range plain {
		for _, name := range names {
			of[name] = as
		}
	}
	for _, name := range lists {
		of[name] = types.ListType{ElemType: types.StringType}
	}
	return types.ListType{ElemType: types.ObjectType{AttrTypes: of}}
}

// null is an encoded null.
var null = packed.Value{msgpcode.Nil}

// shownPart is an element of the attribute parts.
type shownPart struct {
	Disks    packed.Value `msgpack:"disks"`
	Networks packed.Value `msgpack:"networks"`
	Pools    packed.Value `msgpack:"pools"`
	Texts    packed.Value `msgpack:"texts"` // what the templates of its nodes have of them
}

// shownParts shows parts as attributes of nodes and slots.
type shownParts struct {
	of          attachmentModel
	given       []shape.Object
	nodes       map[string]shownNode       // as they were shown
	before, now map[string]shownPart       // as they were shown, and as they are
	texts       map[string]roster.Template // texts of both

	sizes     map[string]int64 // of the disks of slots as they were shown
	addresses bool             // whether nodes have addresses by their ordinals
}

func (m attachmentModel) partsShown() shownParts {
	var unread diag.Diagnostics // the roster was read from the same texts
	s := shownParts{
		m, m.networks(), elements[shownNode](m.Nodes.ValueString(), &unread),
		elements[shownPart](m.Parts.ValueString(), &unread), map[string]shownPart{}, map[string]roster.Template{},
		sizesOf(elements[shownSlot](m.Slots.ValueString(), &unread)), m.givesAddresses(),
	}
	for key, p := range s.before {
		s.texts[key] = roster.NewTemplate(elements[string](string(p.Texts), &unread))
	}
	return s
}

// put shows the parts of a node, and returns their key: the place of the node, with a number if nodes of the place
// have different ones. A node keeps its key as long as its template has the same parts. The key is known before they
// are.
func (s shownParts) put(name string, n roster.Node, template shownTemplate) string {
	base := n.String() // its place
	if s.addresses {
		base += fmt.Sprintf(" #%d", n.Ordinal)
	}
	key := s.nodes[name].Parts
	if key != base && !strings.HasPrefix(key, base+"/") {
		key = base
	}
	for i := 1; s.has(key) && s.texts[key] != template.parts; i++ {
		if key = base; i > 1 {
			key += fmt.Sprintf("/%d", i)
		}
	}
	if _, shown := s.now[key]; !shown {
		s.texts[key] = template.parts
		s.now[key] = shownPart{
			s.disks(n.Template), s.networks(n.Template, n.Place, n.Ordinal), s.pools(s.before[key], n), template.texts,
		}
	}
	return key
}

func (s shownParts) has(key string) bool { _, has := s.texts[key]; return has }

// forgetParts makes parts of new nodes unknown whose arguments are not known yet. Their number stays known, and so do
// the networks that have ports of their own.
func (m attachmentModel) forgetParts(
	p shownPart, at placement.Place, diags *diag.Diagnostics,
) (_ shownPart, some bool) {
	boot, others := m.nodeDisks()
	values := elements[packed.Text](string(p.Texts), diags)
	forget := func(key string, parts ...part) bool {
		if allKnown(parts...) {
			return false
		}
		values[key] = packed.Text{String: types.StringUnknown()}
		return true
	}
	networks := forget(keyNetworks, m.networksAt(at)...)
	pools := forget(keyPools, slices.Collect(maps.Values(m.poolsAt(at.Region)))...)
	disks := forget(keyDisks, others...)
	boots := forget(roster.KeyBootVolume, boot...)
	if networks {
		p.Networks = show(m.networksAt(at), networksType)
	}
	if disks || boots {
		p.Disks = showDisks(boot, others)
	}
	if some = networks || pools || disks || boots; some {
		p.Texts = packed.Value(packed.Map(values).ValueString())
	}
	return p, some
}
