package placement

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// InfeasibleError means that the places cannot take, or cannot lose, the requested number of nodes. Its text is the
// policy documents' sentence; Detail has the numbers.
type InfeasibleError struct {
	Count int64  // nodes to add; negative for nodes to remove
	Rooms []Room // in the order of the places; a region that is limited by its zones is replaced by them
}

// Room is how many nodes a place could take (or, on removal, lose) at most.
type Room struct {
	Name  string
	Nodes int64  // never more than the requested count
	Limit string // limit in a few words: "(cap 2)"; "" without one
}

func (e *InfeasibleError) Error() string {
	return "There is no feasible plan to handle all nodes."
}

// Detail says in one sentence how many nodes find room, where, and what limits each place.
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

// Room returns how many nodes could be added (or, on removal, removed).
func (e *InfeasibleError) Room() (nodes int64) {
	for _, r := range e.Rooms {
		nodes += r.Nodes
	}
	return nodes
}

func asInfeasible(err error) (*InfeasibleError, bool) { return errors.AsType[*InfeasibleError](err) }

// roomOf returns how many of the requested nodes a bin could take, or lose, within its bounds, and what limits it.
func roomOf(b Bin, v bounds, asked int64) Room {
	room := Room{Name: b.Name, Nodes: min(max(asked, -asked), v.most(asked))}
	if all := asked < 0 && room.Nodes == b.Current; room.Nodes < max(asked, -asked) && !all {
		room.Limit = "(" + b.limit(asked) + ")"
	}
	return room
}

// roomsOf returns the rooms of regions within their bounds. A region that is limited by its zones is replaced by
// them.
func roomsOf(regions []Region, list []bounds, asked int64) []Room {
	var rooms []Room
	for i, r := range regions {
		if len(r.Zones) == 0 || r.Bin.bounds().most(asked) == list[i].most(asked) {
			rooms = append(rooms, roomOf(r.Bin, list[i], asked))
			continue
		}
		for _, z := range r.Zones {
			room := roomOf(z, z.bounds(), asked)
			room.Name = Place{r.Name, z.Name}.String()
			if z.Weight > 0 || z.closed() || room.Nodes > 0 {
				rooms = append(rooms, room)
			}
		}
	}
	return rooms
}
