package placement

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// InfeasibleError says that the places cannot take, or cannot give up, the nodes
// that were asked for. Its text is the policy documents' sentence; Detail has
// the numbers.
type InfeasibleError struct {
	Count int64  // nodes to add; negative: to remove
	Rooms []Room // in the order of the places; a region with zones that bind is listed by these
}

// Room is how many nodes a place could take (or, on removal, give up) at most.
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

func asInfeasible(err error) (*InfeasibleError, bool) { return errors.AsType[*InfeasibleError](err) }

// roomOf says how many of the nodes that are asked for a bin could take, or give
// up, and what keeps it from more.
func roomOf(b Bin, asked int64) Room {
	if asked < 0 {
		return Room{Name: b.Name, Nodes: min(-asked, b.Current-b.lower()), Limit: b.holds(-asked)}
	}
	return Room{Name: b.Name, Nodes: b.Headroom(asked), Limit: b.takes(asked)}
}

// roomsOf are the rooms of regions. One that is bound by its zones is listed by
// them.
func roomsOf(regions []Region, asked int64) []Room {
	var rooms []Room
	for _, r := range regions {
		bounded, own := r.bin(max(asked, 0)), r.Bin
		own.Current = bounded.Current
		if room := roomOf(own, asked); len(r.Zones) == 0 || room.Nodes == roomOf(bounded, asked).Nodes {
			rooms = append(rooms, room)
			continue
		}
		for _, z := range r.Zones {
			room := roomOf(z, asked)
			room.Name = Place{r.Name, z.Name}.String()
			if z.Weight > 0 || z.closed() || room.Nodes > 0 {
				rooms = append(rooms, room)
			}
		}
	}
	return rooms
}

// takes says what keeps a bin from taking as many nodes as are asked for.
func (b Bin) takes(asked int64) string {
	switch {
	case b.Headroom(asked) == asked:
		return ""
	case b.Weight == 0:
		return "(not listed)"
	case b.closed():
		return fmt.Sprintf("(%s)", b.why())
	case b.Why != "":
		return fmt.Sprintf("of %d (%s)", b.Cap, b.Why)
	}
	return fmt.Sprintf("of %d (cap)", b.Cap)
}

// holds says what keeps a bin from giving up as many nodes as are asked for.
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
	switch {
	case b.Maintenance:
		return "is closed"
	case b.Why == "":
		return "takes no nodes now"
	}
	return b.Why
}

// state is why the bin is closed, without its verb: "not available".
func (b Bin) state() string {
	return strings.TrimPrefix(strings.TrimPrefix(b.why(), "is "), "has ")
}

// beyond says why removals take from a bin before all others, or after them; ""
// where that is only its share.
func (b Bin) beyond() string {
	switch {
	case b.Maintenance:
		return "it is closed, and no open place can lose a node"
	case b.Weight == 0:
		return "it is not listed"
	case b.aboveCap() > 0:
		return fmt.Sprintf("it is above its cap of %d", b.Cap)
	}
	return ""
}

// note says in a few words what binds a bin that has its nodes.
func (b Bin) note() string {
	switch {
	case b.Maintenance:
		return "closed"
	case b.Weight == 0 && b.Closed:
		return "not listed, " + b.state()
	case b.Weight == 0:
		return "not listed: removed first"
	case b.aboveCap() > 0:
		return fmt.Sprintf("%d above cap: removed first", b.aboveCap())
	case b.Closed:
		return b.state()
	case b.Current == b.Cap && b.Why != "":
		return "full: quota"
	case b.Current == b.Cap:
		return "full: cap"
	case b.Current < b.Min:
		return "below min"
	}
	return ""
}
