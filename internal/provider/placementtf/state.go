package placementtf

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// shownNode is an element of the attribute nodes.
type shownNode struct {
	Closed     *bool        `msgpack:"closed"` // null in an open place
	Flavor     packed.Text  `msgpack:"flavor"`
	FlavorID   packed.Text  `msgpack:"flavor_id"`
	Generation int64        `msgpack:"generation"`
	Image      packed.Text  `msgpack:"image"`
	ImageID    packed.Text  `msgpack:"image_id"`
	Index      int64        `msgpack:"index"`
	Mark       packed.Text  `msgpack:"mark"`
	Ordinal    *int64       `msgpack:"ordinal"`
	Parts      string       `msgpack:"parts"` // key of an element of parts
	Region     string       `msgpack:"region"`
	Template   packed.Value `msgpack:"template"` // a map of texts, or null; image, image_id and parts have the others
	Zone       packed.Text  `msgpack:"zone"`
}

// template returns what a node is made from, of which its image and its parts are shown apart.
func (n shownNode) template(parts map[string]shownPart, diags *diag.Diagnostics) roster.Template {
	values := elements[string](string(n.Template), diags)
	if values == nil {
		values = map[string]string{}
	}
	if name := n.Image.ValueString(); name != "" {
		values[roster.KeyImage] = name
	}
	if image := n.ImageID.ValueString(); values[roster.KeyImage] != "" && image != "" {
		values[roster.KeyImageID] = image
	}
	maps.Copy(values, elements[string](string(parts[n.Parts].Texts), diags))
	return roster.NewTemplate(values)
}

// shownTemplate is how the nodes of a template show it.
type shownTemplate struct {
	own, texts     packed.Value
	parts          roster.Template // the values in texts
	image, imageID string
}

func (m attachmentModel) shownTemplate(t roster.Template) *shownTemplate {
	values, texts := t.Values(), map[string]string{}
	shown := &shownTemplate{imageID: values[roster.KeyImageID], own: null}
	for key := range partKeys {
		if text, has := values[key]; has {
			texts[key] = text
			delete(values, key)
		}
	}
	if len(m.images()) > 0 {
		shown.image = values[roster.KeyImage]
		delete(values, roster.KeyImage)
		delete(values, roster.KeyImageID)
	}
	if len(values) > 0 {
		shown.own = asText(values)
	}
	shown.texts, shown.parts = asText(texts), roster.NewTemplate(texts)
	return shown
}

func asText(values map[string]string) packed.Value {
	return packed.Value(packed.Map(values).ValueString())
}

// shownSlot is an element of the attribute slots.
type shownSlot struct {
	Disks    []shownDisk  `msgpack:"disks"` // they outlive the servers
	InUse    bool         `msgpack:"in_use"`
	Index    int64        `msgpack:"index"`
	Networks packed.Value `msgpack:"networks"` // with the slot's own addresses
	Region   string       `msgpack:"region"`
	Template packed.Value `msgpack:"template"` // of the last node, once there is none
	Zone     packed.Text  `msgpack:"zone"`
}

// elements returns the elements of nodes or slots.
func elements[E any](written string, diags *diag.Diagnostics) map[string]E {
	elements, err := packed.Elements[E](written)
	if err != nil {
		unreadable(err, diags)
	}
	return elements
}

// largestIndex is the largest index of a state: far more than any cluster counts to, and far from the largest number.
const largestIndex = 1 << 40

func checkIndex(of string, index int64, diags *diag.Diagnostics) {
	if index < 0 || index > largestIndex {
		unreadable(fmt.Errorf("the index of %s is %d, and an index is between 0 and %d", text.Clean(of), index,
			int64(largestIndex)), diags)
	}
}

// unreadable reports a state that somebody edited.
func unreadable(err error, diags *diag.Diagnostics) {
	diags.AddError("Unable to read the state", text.Sentence(err)+" Restore a backup of it, or import the cluster.")
}

// roster returns the roster that the state and the private state remember.
func (m attachmentModel) roster(remembered memory, diags *diag.Diagnostics) roster.Roster {
	r, nodes := remembered.Roster, elements[shownNode](m.Nodes.ValueString(), diags)
	r.Nodes, r.Next = make(map[string]roster.Node, len(nodes)), m.NextIndex.ValueInt64()
	checkIndex("the next node", r.Next, diags)
	templates, parts := map[[4]string]roster.Template{}, elements[shownPart](m.Parts.ValueString(), diags)
	for name, shown := range nodes {
		n := remembered.Roster.Nodes[name]
		n.Index = shown.Index
		checkIndex(name, n.Index, diags)
		n.Region = shown.Region
		if !n.Unplaced {
			n.Zone = shown.Zone.ValueString()
		}
		n.Flavor, n.FlavorID = shown.Flavor.ValueString(), shown.FlavorID.ValueString()
		n.Generation = shown.Generation
		if shown.Ordinal != nil {
			n.Ordinal = *shown.Ordinal
		}
		n.Mark = roster.Mark(shown.Mark.ValueString())
		like := [4]string{string(shown.Template), shown.Parts, shown.Image.ValueString(), shown.ImageID.ValueString()}
		template, read := templates[like]
		if !read {
			template = shown.template(parts, diags)
			templates[like] = template
		}
		if n.Template = template; template == "" {
			n.Image = shown.ImageID.ValueString()
		}
		r.Nodes[name] = n
	}
	r.Slots = m.slots(r.Nodes, diags)
	return r
}

// slots returns the slots in the state, or nil without any.
func (m attachmentModel) slots(nodes map[string]roster.Node, diags *diag.Diagnostics) map[string]roster.Slot {
	var slots map[string]roster.Slot
	for name, shown := range elements[shownSlot](m.Slots.ValueString(), diags) {
		if slots == nil {
			slots = map[string]roster.Slot{}
		}
		at := placement.Place{Region: shown.Region, Zone: shown.Zone.ValueString()}
		var names []string
		for _, disk := range shown.Disks {
			names = append(names, disk.Name)
		}
		template := nodes[name].Template
		if !shown.InUse {
			template = roster.NewTemplate(elements[string](string(shown.Template), diags))
		}
		slots[name] = roster.Slot{Index: shown.Index, Place: at, Template: template, Volumes: roster.NamesOf(names)}
	}
	return slots
}

// rememberSlots puts the slots into the state, or null without any.
func (m *attachmentModel) rememberSlots(r roster.Roster, parts shownParts) {
	if r.Slots == nil {
		m.Slots = types.StringNull()
		return
	}
	slots := make(map[string]shownSlot, len(r.Slots))
	for name, s := range r.Slots {
		_, inUse := r.Nodes[name]
		template := null
		if !inUse {
			template = asText(s.Template.Values())
		}
		slots[name] = shownSlot{
			Disks:    parts.slotDisks(name, s),
			InUse:    inUse,
			Index:    s.Index,
			Networks: parts.slotNetworks(name, s.Template, s.Place),
			Region:   s.Region,
			Template: template,
			Zone:     packed.Text{String: value.TextOrNull(s.Zone)},
		}
	}
	m.Slots = packed.Map(slots)
}

// remember puts a roster and its distribution into the state, which has the nodes as they were before.
func (m *attachmentModel) remember(r roster.Roster, regions []placement.Region) {
	closed := map[placement.Place]bool{}
	for _, region := range regions {
		closed[placement.Place{Region: region.Name}] = region.Maintenance
		for _, zone := range region.Zones {
			closed[placement.Place{Region: region.Name, Zone: zone.Name}] = zone.Maintenance
		}
	}
	templates := map[roster.Template]*shownTemplate{}
	nodes, parts := make(map[string]shownNode, len(r.Nodes)), m.partsShown()
	for _, name := range r.Names() {
		n := r.Nodes[name]
		zone := value.TextOrNull(n.Zone)
		if n.Unplaced {
			zone = types.StringNull()
		}
		template := templates[n.Template]
		if template == nil {
			template = m.shownTemplate(n.Template)
			templates[n.Template] = template
		}
		var isClosed *bool
		if closed[placement.Place{Region: n.Region}] || closed[n.Place] {
			isClosed = new(true)
		}
		var ordinal *int64
		if n.Ordinal > 0 {
			ordinal = new(n.Ordinal)
		}
		nodes[name] = shownNode{
			Closed:     isClosed,
			Flavor:     packed.Text{String: value.TextOrNull(n.Flavor)},
			FlavorID:   packed.Text{String: value.TextOrNull(n.FlavorID)},
			Generation: n.Generation,
			Image:      packed.Text{String: value.TextOrNull(template.image)},
			ImageID:    packed.Text{String: value.TextOrNull(cmp.Or(template.imageID, n.Image))},
			Index:      n.Index,
			Mark:       packed.Text{String: types.StringValue(string(n.Mark))},
			Ordinal:    ordinal,
			Parts:      parts.put(name, n, *template),
			Region:     n.Region,
			Template:   template.own,
			Zone:       packed.Text{String: zone},
		}
	}
	m.Nodes = packed.Map(nodes)
	m.Parts = packed.Map(parts.now)
	m.rememberSlots(r, parts)
	m.rememberUserData(r)
	m.NextIndex = types.Int64Value(r.Next)
	m.Distribution = value.ZoneCounts(distribution(r, regions))
	m.Summary = types.StringValue(placement.NewBoard(regions, r.Counts()).Table())
}

// distribution counts the nodes by region and zone, with 0 for a listed place
// without nodes.
func distribution(r roster.Roster, listed []placement.Region) map[string]map[string]int64 {
	nodes := r.Counts()
	for _, region := range listed {
		for _, zone := range region.Zones {
			nodes[placement.Place{Region: region.Name, Zone: zone.Name}] += 0
		}
	}
	counts := nodes.ByZone()
	for _, region := range listed {
		if counts[region.Name] == nil {
			counts[region.Name] = map[string]int64{}
		}
	}
	return counts
}

// rememberUserData keeps the texts that a node or a slot has, may go back to, or should have, and forgets all others.
func (m *attachmentModel) rememberUserData(r roster.Roster) {
	given := map[string]attr.Value{}
	maps.Copy(given, m.UserDataTexts.Elements())
	if text := m.UserData.ValueString(); text != "" {
		given[hashOf(text)] = m.UserData
	}
	used := map[string]attr.Value{}
	use := func(t roster.Template) {
		hash := t.Values()[roster.KeyUserData]
		if text, there := given[hash]; there {
			used[hash] = text
		}
	}
	for o := range originsOf(r) {
		use(o.template)
	}
	for _, t := range m.templates() {
		use(t)
	}
	m.UserDataTexts = types.MapNull(types.StringType)
	if len(used) > 0 {
		m.UserDataTexts = types.MapValueMust(types.StringType, used)
	}
}

// record puts a change into the state. Nodes that come are in nodes, with their places.
func (m *attachmentModel) record(change planner.Change) {
	m.Change = value.List(change.ChangedByReason())
	m.hold(change)
}

// hold replaces the held nodes. The apply of a plan that leaves the cluster in step ends their holds.
func (m *attachmentModel) hold(change planner.Change) {
	if m.inStep() {
		change.Blocked = nil
	}
	m.Held = value.List(change.HeldByReason())
}
