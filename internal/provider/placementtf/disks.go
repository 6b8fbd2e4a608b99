package placementtf

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// A disk ends with its server, and a node keeps what it was made with. The disks of a slot, except for the one that a
// server boots from, outlive the servers: a slot has their names, and their sizes may grow.

const keyDisks = "disks"

var diskShape = shape.Shape{
	Of: "a disk", Like: `{ root = { size = 20, boot = true }, data = { size = 100 } }`,
	Keys: map[string]shape.Kind{
		"size": shape.Whole, "type": shape.Text, "boot": shape.Flag, "zone": shape.TextOrMap,
	},
	Needs:  [][]string{{"size"}},
	Known:  []string{"size", "boot"},
	Bounds: map[string][2]int64{"size": {1, 1 << 20}},
}

// A disk without a size is the one that the flavor has, from which the server boots beside other disks.
var disksType = attributesOf([]string{"name", "type"}, []string{"size"}, []string{"boot"}, nil)

var slotDisksType = attributesOf([]string{"name", "type", "zone"}, []string{"size"}, nil, nil)

// shownDisk is a disk of a slot. A size that nothing says is null.
type shownDisk struct {
	Name string      `msgpack:"name"`
	Size *int64      `msgpack:"size"`
	Type packed.Text `msgpack:"type"`
	Zone packed.Text `msgpack:"zone"`
}

// disks are those of a configuration that was validated.
func (m attachmentModel) disks() map[string]shape.Object {
	all, _ := diskShape.Map(keyDisks, m.Disks)
	return all
}

func boots(o shape.Object) bool {
	boot := value.In[types.Bool](o, "boot")
	return boot.ValueBool()
}

// volumes returns the sizes of the disks of a slot, by name.
func (m attachmentModel) volumes() map[string]int64 {
	sizes := map[string]int64{}
	if !value.GivenBlock(m.Stateful) {
		return sizes
	}
	for name, o := range m.disks() {
		if !boots(o) {
			sizes[name] = o["size"].(types.Int64).ValueInt64()
		}
	}
	return sizes
}

// nodeDisks returns the disks that end with a server: the one that it boots from, and others.
func (m attachmentModel) nodeDisks() (boot, others []part) {
	all := m.disks()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := partOf(all[name], []string{"size", "type"})
		p["name"] = name
		switch {
		case boots(all[name]):
			boot = append(boot, p)
		case !value.GivenBlock(m.Stateful):
			others = append(others, p)
		}
	}
	return boot, others
}

// diskTexts returns what templates have of disks, as far as it is known.
func (m attachmentModel) diskTexts() map[string]string {
	texts := map[string]string{}
	boot, others := m.nodeDisks()
	if len(boot) > 0 && allKnown(boot...) {
		texts[roster.KeyBootVolume] = asJSON(boot[0])
	}
	if len(others) > 0 && allKnown(others...) {
		texts[keyDisks] = asJSON(others)
	}
	if names := slices.Collect(maps.Keys(m.volumes())); len(names) > 0 {
		texts[roster.KeyVolumes] = string(roster.NamesOf(names))
	}
	return texts
}

// disks shows the disks that end with the server of a node, as its template has them.
func (s shownParts) disks(t roster.Template) packed.Value {
	var boot, others []part
	values := t.Values()
	_ = json.Unmarshal([]byte("["+values[roster.KeyBootVolume]+"]"), &boot)
	_ = json.Unmarshal([]byte(values[keyDisks]), &others)
	return showDisks(boot, others)
}

func showDisks(boot, others []part) packed.Value {
	if len(boot) == 0 && len(others) > 0 {
		boot = []part{{}}
	}
	for _, p := range boot {
		p["boot"] = true
	}
	return show(append(boot, others...), disksType)
}

// slotDisks shows the disks of a slot. One that somebody enlarged stays as large.
func (s shownParts) slotDisks(name string, slot roster.Slot) []shownDisk {
	disks := []shownDisk{}
	for _, disk := range slot.Volumes.List() {
		o := s.of.disks()[disk]
		shown := shownDisk{Name: disk, Zone: packed.Text{String: zoneOf(o["zone"], slot.Place)}}
		if t, given := o["type"].(types.String); given {
			shown.Type.String = t
		}
		for _, size := range []int64{s.of.volumes()[disk], s.of.seen[name+"/"+disk], s.sizes[name+"/"+disk]} {
			if size > 0 && (shown.Size == nil || size > *shown.Size) {
				shown.Size = new(size)
			}
		}
		disks = append(disks, shown)
	}
	return disks
}

// sizesOf are the sizes of the disks that slots show, by slot and name.
func sizesOf(slots map[string]shownSlot) map[string]int64 {
	sizes := map[string]int64{}
	for name, slot := range slots {
		for _, disk := range slot.Disks {
			if disk.Size != nil {
				sizes[name+"/"+disk.Name] = *disk.Size
			}
		}
	}
	return sizes
}

// zoneOf is the zone of Cinder for a place: a map has it by region and zone, or by zone. Without one it has Nova's
// name.
func zoneOf(v attr.Value, at placement.Place) types.String {
	switch zone := v.(type) {
	case types.String:
		return zone
	case types.Map:
		for _, key := range []string{at.Region + "/" + at.Zone, at.Zone} {
			if named, there := zone.Elements()[key].(types.String); there {
				return named
			}
		}
	}
	return value.TextOrNull(at.Zone)
}

// validateDisks refuses disks that no server or slot can have.
func (m attachmentModel) validateDisks(diags *diag.Diagnostics) {
	disks, first := m.disks(), ""
	for _, name := range slices.Sorted(maps.Keys(disks)) {
		refuse := func(format string, args ...any) {
			diags.AddAttributeError(path.Root(keyDisks).AtMapKey(name), "Invalid argument",
				fmt.Sprintf(format, args...))
		}
		switch o := disks[name]; {
		case boots(o) && first != "":
			refuse("disks[%q] and disks[%q] both have boot = true, and a server boots from one.", first, name)
		case boots(o) && o["zone"] != nil:
			refuse("disks[%q].zone: Nova makes the disk that a server boots from in the zone of the server.", name)
		case o["zone"] != nil && !value.GivenBlock(m.Stateful) && !m.Stateful.IsUnknown():
			refuse("disks[%q].zone needs the block stateful: without slots Nova makes each disk in the zone of its "+
				"server.", name)
		}
		if boots(disks[name]) {
			first = name
		}
	}
}

// seeVolumes looks up how large the disks of slots are. The volume of a disk has the name of the slot, "-", and the
// name of the disk. One that is there twice is not known.
func (m *attachmentModel) seeVolumes(
	ctx context.Context, cloud *openstack.Cloud, r roster.Roster, closed func(string) bool, diags *diag.Diagnostics,
) {
	m.seen = map[string]int64{}
	regions := map[string]map[string]string{} // disks by the name of the volume
	for name, slot := range r.Slots {
		for _, disk := range slot.Volumes.List() {
			if regions[slot.Region] == nil {
				regions[slot.Region] = map[string]string{}
			}
			regions[slot.Region][name+"-"+disk] = name + "/" + disk
		}
	}
	for _, region := range slices.Sorted(maps.Keys(regions)) {
		if closed(region) {
			continue
		}
		sizes, err := cloud.VolumeSizes(ctx, region)
		if err != nil && !value.Is[*openstack.NoEndpointError](err) {
			diags.AddWarning("Unable to look up volumes",
				text.Sentence(err)+" The sizes of the refresh before still count.")
		}
		for volume, disk := range regions[region] {
			if found := sizes[volume]; len(found) == 1 {
				m.seen[disk] = found[0]
			}
		}
	}
}

// warnOfLarger warns of disks that are larger than the configuration says.
func (p *attachmentPlanner) warnOfLarger() {
	wanted, larger := p.plan.volumes(), []string{}
	sizes := map[string]int64{}
	if p.state != nil {
		sizes = sizesOf(elements[shownSlot](p.state.Slots.ValueString(), p.diags))
	}
	for _, disk := range slices.Sorted(maps.Keys(sizes)) {
		name := disk[strings.LastIndex(disk, "/")+1:]
		if size, there := wanted[name]; there && sizes[disk] > size {
			larger = append(larger, fmt.Sprintf("%s has %d GiB, and disks says %d", disk, sizes[disk], size))
		}
	}
	if len(larger) > 0 {
		p.diags.AddAttributeWarning(path.Root(keyDisks), "Disks are larger", fmt.Sprintf(
			"%s. They stay as they are, because Cinder shrinks none. Write the size that they have.", text.Few(larger)))
	}
}
