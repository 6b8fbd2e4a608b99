package decide

import (
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// prepareSlots gives a slot to each node, and removes the released slots. It returns the names of
// slots to release that do not exist. Without Stateful there are no slots.
func prepareSlots(r *roster.Roster, policy roster.Policy) (unknown []string) {
	if policy.Stateful == nil {
		r.Slots = nil
		return nil
	}
	for name, slot := range r.Slots {
		if _, inUse := r.Nodes[name]; !inUse && slot.Template == "" { // it was imported
			slot.Volumes = policy.Templates.At(slot.Place).Volumes()
			r.Slots[name] = slot
		}
	}
	r.FillSlots(roster.Stateful{Retain: true})
	for _, name := range policy.Stateful.Release {
		if _, there := r.Slots[name]; !there && !r.KeepsVolume(name) {
			unknown = append(unknown, name)
		}
		if _, inUse := r.Nodes[name]; !inUse {
			delete(r.Slots, name)
		}
	}
	return unknown
}

// finishSlots gives slots to the nodes that a plan added, and removes the slots of nodes that it
// removed, unless the slots are kept.
func finishSlots(r *roster.Roster, verdicts map[string]verdict.Verdict, policy roster.Policy) error {
	if policy.Stateful == nil {
		return nil
	}
	var inUse []string
	for _, name := range policy.Stateful.Release {
		if _, there := r.Nodes[name]; there {
			inUse = append(inUse, name)
		}
	}
	if len(inUse) > 0 {
		return slotsInUse.with(text.Few(inUse))
	}
	for name, v := range verdicts {
		if v.Outcome == verdict.Leaves && (!policy.Stateful.Retain || slices.Contains(policy.Stateful.Release, name)) {
			delete(r.Slots, name)
		}
	}
	r.FillSlots(*policy.Stateful)
	return nil
}
