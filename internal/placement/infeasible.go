package placement

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// InfeasibleError says that the bins cannot take, or cannot give up, the nodes
// that were asked for. Its text is the policy documents' sentence; Detail has
// the numbers.
type InfeasibleError struct {
	Count int64  // nodes to add; negative: to remove
	Rooms []Room // in the order of the bins
}

// Room is how many nodes a bin could take (or, on removal, give up) at most.
type Room struct {
	Name  string
	Nodes int64  // never more than the count that was asked for
	Limit string // what keeps it from more, in a few words: "of 2 (cap)"; "" where nothing does
}

func (e *InfeasibleError) Error() string {
	return "There is no feasible plan to handle all nodes."
}

// Detail says in one sentence how many nodes find room, where, and what closes
// each place.
func (e *InfeasibleError) Detail() string {
	parts := make([]string, len(e.Rooms))
	for i, r := range e.Rooms {
		parts[i] = strings.TrimRight(fmt.Sprintf("%s %d %s", r.Name, r.Nodes, r.Limit), " ")
	}
	where := "no place is listed"
	if len(parts) > 0 {
		where = strings.Join(parts, ", ")
	}
	if e.Count < 0 {
		return fmt.Sprintf("%s must be removed, but only %d can be: %s.", text.Nodes(-e.Count), e.Room(), where)
	}
	return fmt.Sprintf("%s must be added, but there is room for %d: %s.", text.Nodes(e.Count), e.Room(), where)
}

// Room is how many nodes could be added (or, on removal, removed).
func (e *InfeasibleError) Room() (nodes int64) {
	for _, r := range e.Rooms {
		nodes += r.Nodes
	}
	return nodes
}

// limit says what keeps a bin from taking (or giving up) as many nodes as are
// asked for.
func (b Bin) limit(asked int64) string {
	if asked < 0 {
		return b.holds(-asked)
	}
	return b.takes(asked)
}

func (b Bin) takes(asked int64) string {
	switch {
	case b.Headroom(asked) == asked:
		return ""
	case b.Weight == 0:
		return "(not listed)"
	case b.Closed:
		return fmt.Sprintf("(%s)", b.why())
	case b.Why != "":
		return fmt.Sprintf("of %d (%s)", b.Cap, b.Why)
	}
	return fmt.Sprintf("of %d (cap)", b.Cap)
}

func (b Bin) holds(asked int64) string {
	switch {
	case b.Current-b.lower() >= min(asked, b.Current):
		return "" // it gives up all that it has
	case b.Closed:
		return fmt.Sprintf("(%s, and keeps its nodes)", b.why())
	case b.Kept > b.Min:
		return fmt.Sprintf("of %d (%d protected)", b.Current, b.Kept)
	}
	return fmt.Sprintf("of %d (min %d)", b.Current, b.Min)
}

func (b Bin) why() string {
	if b.Why == "" {
		return "takes no nodes now"
	}
	return b.Why
}

// limit is that of the region itself where that is what binds, and else those of
// its zones: "(az-2 is not available; az-1 at its cap of 3)".
func (r Region) limit(asked int64) string {
	if len(r.Zones) == 0 {
		return r.Bin.limit(asked)
	}
	own, bounded := r.Bin, r.bin(max(asked, 0))
	own.Current = bounded.Current
	binds := own.Headroom(asked) == bounded.Headroom(asked)
	phrase := Bin.taking
	if asked < 0 {
		binds, phrase = own.lower() == bounded.lower(), Bin.holding
	}
	if binds {
		return own.limit(asked)
	}
	var parts []string
	for _, z := range r.Zones {
		if part := phrase(z, max(asked, -asked)); part != "" {
			parts = append(parts, z.Name+" "+part)
		}
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// taking says of a zone, after its name, what takes says of a place.
func (b Bin) taking(asked int64) string {
	switch room := b.Headroom(asked); {
	case room == asked, b.Weight == 0:
		return ""
	case b.Closed:
		return b.why()
	case room > 0:
		return fmt.Sprintf("has room for %d of its cap of %d", room, b.Cap)
	}
	return fmt.Sprintf("at its cap of %d", b.Cap)
}

// holding says of a zone, after its name, what holds says of a place.
func (b Bin) holding(asked int64) string {
	switch {
	case b.holds(asked) == "":
		return ""
	case b.Closed:
		return b.why() + ", and keeps its nodes"
	case b.Kept > b.Min:
		return fmt.Sprintf("keeps %d protected", b.Kept)
	}
	return fmt.Sprintf("keeps its min of %d", b.Min)
}
