package readiness

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
)

// Pending lists, sorted, the names of the nodes whose server has no mark, was drained, or does not exist. The
// snapshot has the servers of the cluster. A server in a cell that is down, whose metadata is hidden, is not pending:
// it may still be in service, and nothing could be done about it now.
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

// Turn divides pending nodes into those to wait for now, and those that are late. New servers do not wait for late
// ones, because a later batch may change these. If all nodes are late, they are waited for once more.
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

// Overtaken lists, sorted, the names of nodes that were in service and whose servers are already gone or drained,
// although the nodes that replace them are not in service yet. With create_before_destroy these servers would still
// serve. A node that keeps its name does not count: its cluster, or somebody, wants it to be made again, and its
// server is destroyed first if a port and a volume can belong to one server at a time. The result untouched reports
// that nodes left, and that each of them still has its server, undrained.
//
// The nodes in before are from the last apply, and unsure are the ones that were not in service; after has the
// nodes of this apply.
func Overtaken(
	before, after map[string]Node, unsure []string, snapshot []node.Node,
) (names []string, untouched bool) {
	whole := make(map[serverKey]bool, len(snapshot))
	for _, n := range snapshot {
		whole[serverKey{n.Region, n.ID}] = !n.Drained && !n.Draining
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

// refused reports whether Nova refused a request, and would refuse it again. A 409 means that Nova is changing the
// server in another way, and 429 or 413 that it has too many requests.
func refused(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return ok && answer.Actual/100 == 4 && answer.Actual != http.StatusConflict &&
		answer.Actual != http.StatusTooManyRequests && answer.Actual != http.StatusRequestEntityTooLarge
}
