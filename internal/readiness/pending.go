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

// Overtaken lists, sorted, the names of the nodes that were in service, have been
// replaced or removed, and whose servers are gone already, although servers that
// will take their place are not in service yet. With
// create_before_destroy they would still be there. A node of another mark under the same
// name was made again as its cluster wants it: first destroyed, because a port and a volume
// belong to one server at a time.
//
// The nodes in before are those of the last apply, of which unsure were not in
// service; after has those of this one.
func Overtaken(before, after map[string]Node, unsure []string, snapshot []node.Node) []string {
	there := make(map[serverKey]bool, len(snapshot))
	for _, n := range snapshot {
		there[serverKey{n.Region, n.ID}] = true
	}
	old, kept := map[serverKey]bool{}, map[serverKey]bool{}
	for _, n := range before {
		old[serverKey{n.Region, n.ID}] = true
	}
	added := false
	for _, n := range after {
		key := serverKey{n.Region, n.ID}
		kept[key] = true
		added = added || !old[key]
	}
	if !added {
		return nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		key := serverKey{before[name].Region, before[name].ID}
		again, stays := after[name]
		wanted := stays && again.Mark != before[name].Mark
		if !kept[key] && !there[key] && !wanted && !slices.Contains(unsure, name) {
			names = append(names, name)
		}
	}
	return names
}

type serverKey struct{ region, id string }

// refused reports whether Nova said no, which asking again does not change. It
// says 409 while it does something else with the server, and 429 when it is
// asked too much.
func refused(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return ok && answer.Actual/100 == 4 && answer.Actual != http.StatusConflict &&
		answer.Actual != http.StatusTooManyRequests
}
