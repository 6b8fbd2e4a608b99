package readiness

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// Pending lists, sorted, the names of the nodes whose server lacks its mark, was
// drained, or is not there. The snapshot has the servers of the cluster. A server
// whose metadata a cell that is down hides is not pending: nothing says that it
// is no longer in service, and nothing could be done about it now.
func Pending(wanted map[string]Node, snapshot []node.Node) []string {
	marks, hidden := make(map[serverKey]string, len(snapshot)), map[serverKey]bool{}
	for _, n := range snapshot {
		if !n.Drained {
			marks[serverKey{n.Region, n.ID}] = n.InService
		}
		if n.Status == "UNKNOWN" && n.Name == "" {
			hidden[serverKey{n.Region, n.ID}] = true
		}
	}
	pending := []string{}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		n := wanted[name]
		if key := (serverKey{n.Region, n.ID}); marks[key] != n.Mark && !hidden[key] {
			pending = append(pending, name)
		}
	}
	return pending
}

// Turn divides pending nodes into those that a wait is for now, and those that are late. New
// servers do not wait for late ones: a later batch may change these. Where all are late they
// are waited for once more.
func Turn(pending []Node) (now, late []Node) {
	for _, n := range pending {
		if n.Late {
			late = append(late, n)
		} else {
			now = append(now, n)
		}
	}
	if len(now) == 0 {
		return late, nil
	}
	return now, late
}

// Overtaken lists, sorted, the names of nodes that were in service and whose servers are
// gone or drained already, although nodes of other names that take their place are not in
// service yet. With create_before_destroy the servers would still serve. A node that keeps
// its name is made again as its cluster, or somebody, wants it: first destroyed where a port
// and a volume belong to one server at a time. Untouched says that nodes left, and that each
// of them still has its server, undrained.
//
// The nodes in before are those of the last apply, of which unsure were not in
// service; after has those of this one.
func Overtaken(
	before, after map[string]Node, unsure []string, snapshot []node.Node,
) (names []string, untouched bool) {
	whole := make(map[serverKey]bool, len(snapshot))
	for _, n := range snapshot {
		whole[serverKey{n.Region, n.ID}] = !n.Drained
	}
	left, kept := 0, 0
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; stays {
			continue
		}
		left++
		if whole[serverKey{before[name].Region, before[name].ID}] {
			kept++
		} else if !slices.Contains(unsure, name) {
			names = append(names, name)
		}
	}
	untouched = left > 0 && left == kept
	for name := range after {
		if _, was := before[name]; !was {
			return names, untouched
		}
	}
	return nil, untouched
}

type serverKey struct{ region, id string }

// refused reports whether Nova said no, which asking again does not change. It
// says 409 while it does something else with the server, and 429 or 413 when it is
// asked too much.
func refused(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return ok && answer.Actual/100 == 4 && answer.Actual != http.StatusConflict &&
		answer.Actual != http.StatusTooManyRequests && answer.Actual != http.StatusRequestEntityTooLarge
}
