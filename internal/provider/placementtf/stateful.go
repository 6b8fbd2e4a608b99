package placementtf

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/shape"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// onRemovalDelete says to give up the slot of a node that is removed.
const onRemovalDelete = "DELETE"

// statefulModel is the block stateful.
type statefulModel struct {
	OnRemoval types.String `tfsdk:"on_removal"`
	Release   types.List   `tfsdk:"release"`
}

// validateStateful refuses updates that would give a node another place or name.
func (m attachmentModel) validateStateful(ctx context.Context, diags *diag.Diagnostics) {
	if value.GivenBlock(m.Stateful) && !m.deletion(ctx, diags).Kept.IsNull() {
		diags.AddAttributeError(path.Root("deletion").AtName("kept"), "Invalid candidate",
			"A slot is used again under its name, but the kept server has that name. Give the server another name in "+
				"Nova first, or use candidates.")
	}
	if !value.GivenBlock(m.Stateful) || !value.GivenBlock(m.Update) {
		return
	}
	u := value.Object[updateModel](ctx, m.Update, diags)
	if method := value.TextOr(u.Method, roster.Substitute); !u.Method.IsUnknown() && method == roster.Substitute {
		diags.AddAttributeError(path.Root("update").AtName("method"), "No substitutes in a stateful cluster",
			fmt.Sprintf("With stateful a node keeps its name and place, but %s replaces it by a new node under a new "+
				"name. Set method = %q, which destroys a server and makes it again in its slot, or %q, which "+
				"rebuilds it.", roster.Substitute, roster.Recreate, roster.InPlace))
	}
	var reported diag.Diagnostics // by the policy
	if name := causeThat(m.update(ctx, &reported), func(c *cause.Cause) bool { return c.Moves }); name != "" {
		diags.AddAttributeError(path.Root("update").AtName("causes"), "No moves in a stateful cluster", fmt.Sprintf(
			"With stateful a slot never changes its place, because its volumes are there, but %s moves nodes. "+
				"Remove it from causes.", name))
	}
}

// stateful translates the block stateful, and returns nil without it.
func (m attachmentModel) stateful(ctx context.Context, diags *diag.Diagnostics) *roster.Stateful {
	if !value.GivenBlock(m.Stateful) {
		return nil
	}
	s := value.Object[statefulModel](ctx, m.Stateful, diags)
	return &roster.Stateful{Retain: s.OnRemoval.ValueString() != onRemovalDelete, Release: texts(s.Release)}
}

// forgetsSlots refuses to remove the block stateful while slots are kept: Terraform
// would destroy the volumes and ports of these slots, which nobody asked for.
func (m attachmentModel) forgetsSlots(now roster.Roster, diags *diag.Diagnostics) bool {
	kept := now.KeptSlots()
	if value.GivenBlock(m.Stateful) || len(kept) == 0 {
		return false
	}
	diags.AddAttributeError(path.Root("stateful"), "Slots are kept without stateful",
		fmt.Sprintf("Kept slots: %s. Without stateful they would be forgotten, and everything that they keep would "+
			"be destroyed. Give the block again and grow until all slots are used, or list them in its release, "+
			"apply, and then remove it.", text.Few(kept)))
	return true
}

// shrinksVolumes refuses a smaller size of a volume, and warns of volumes that are kept although the configuration does
// not have them any more.
func (m attachmentModel) shrinksVolumes(
	ctx context.Context, state *attachmentModel, diags *diag.Diagnostics,
) (refused bool) {
	stateful := m.stateful(ctx, diags)
	if state == nil || stateful == nil {
		return false
	}
	at := path.Root(keyDisks)
	before, now := state.volumes(), m.volumes()
	var kept []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		size, there := now[name]
		switch {
		case !there && stateful.Retain && !slices.Contains(stateful.Release, name):
			kept = append(kept, name)
		case there && 0 < size && size < before[name]: // 0 is unknown
			refused = true
			diags.AddAttributeError(at.AtMapKey(name), "A disk becomes smaller", fmt.Sprintf(
				"The disks %s have %d GiB, and Cinder does not shrink them to %d GiB. Leave the size, or give a "+
					"disk of another name.", name, before[name], size))
		}
	}
	if len(kept) > 0 {
		diags.AddAttributeWarning(at, "Disks are kept", fmt.Sprintf(
			"%s: disks does not have them any more. Each slot keeps its own, with the data, and its next server is "+
				"made without. To destroy them, name them in release.", text.Few(kept)))
	}
	return refused
}

// refuseRelease refuses to release what is not there. A name that was listed before may be: it was released then.
func (p *attachmentPlanner) refuseRelease(ctx context.Context, now roster.Roster) {
	stateful := p.plan.stateful(ctx, p.diags)
	if p.state == nil || stateful == nil {
		return
	}
	var before []string
	if was := p.state.stateful(ctx, p.diags); was != nil {
		before = was.Release
	}
	there := slices.Sorted(maps.Keys(now.Slots))
	for _, slot := range now.Slots {
		there = append(there, slot.Volumes.List()...)
	}
	for i, name := range stateful.Release {
		if slices.Contains(there, name) || slices.Contains(before, name) {
			continue
		}
		hint := fmt.Sprintf("Slots: %s.", text.Few(slices.Sorted(maps.Keys(now.Slots))))
		if near := shape.Nearest(name, there); near != "" {
			hint = fmt.Sprintf("Did you mean %q?", near)
		}
		p.diags.AddAttributeError(path.Root("stateful").AtName("release").AtListIndex(i), "Nothing to release",
			fmt.Sprintf("There is no slot and no disk %q. %s", name, hint))
	}
}
