package roster

import (
	"maps"
	"slices"
)

// keepsServer reports whether the policy names a node whose server somebody keeps once the
// node has left.
func (p Policy) keepsServer(name, id string) bool {
	return slices.Contains(p.Kept, name) || id != "" && slices.Contains(p.Kept, id)
}

// giveUp forgets the leaving nodes whose servers somebody keeps: they are not going to
// be gone, so nothing waits for that, and they are no nodes that could come back.
func (r Roster) giveUp(seen Seen, policy Policy) Roster {
	r = r.clone()
	maps.DeleteFunc(r.Leaving, func(name string, _ Node) bool {
		return policy.keepsServer(name, seen.Servers[name].ID)
	})
	return r
}
