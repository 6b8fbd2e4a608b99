// Package affinity attaches a cluster to a Nova server group: one that exists
// and is inherited, or one that is created, and then deleted with the
// attachment. It also finds the host of a vSphere cluster with DRS.
package affinity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// The policies of server groups.
const (
	Affinity         = "affinity"
	AntiAffinity     = "anti-affinity" // the default of the affinity policy
	SoftAffinity     = "soft-affinity"
	SoftAntiAffinity = "soft-anti-affinity"
)

// Policies lists all of them.
func Policies() []string { return []string{Affinity, AntiAffinity, SoftAffinity, SoftAntiAffinity} }

// Policy says which server group a cluster is to have.
type Policy struct {
	Name             string // or id of the group; it is created where there is none
	Hint             string // name or id from scheduler hints, where no Name is given; it must exist
	Policy           string
	MaxServerPerHost int // of anti-affinity; 0: any
}

// Decision is what to do: inherit a group, or create one of this name. An empty
// name asks for one of its own.
type Decision struct {
	Inherit *openstack.ServerGroup
	Create  string
}

// MismatchError says that a group exists and has other rules than the policy.
type MismatchError struct {
	Group  openstack.ServerGroup
	Policy Policy
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the server group %q (%s) has the policy %s, and the attachment asks for %s",
		e.Group.Name, e.Group.ID, rules(e.Group.Policy, e.Group.MaxServerPerHost), rules(e.Policy.Policy, e.Policy.MaxServerPerHost))
}

func rules(policy string, maxServerPerHost int) string {
	if maxServerPerHost == 0 {
		return policy
	}
	return fmt.Sprintf("%s with at most %d servers a host", policy, maxServerPerHost)
}

// AmbiguousError says that several groups have one name.
type AmbiguousError struct {
	Name string
	IDs  []string // sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d server groups are named %q (%s): name the right one by its id", len(e.IDs), e.Name, strings.Join(e.IDs, ", "))
}

// MissingError says that the group of the scheduler hints does not exist.
type MissingError struct{ Hint string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("no server group has the name or id %q, which the scheduler hints give", e.Hint)
}

// Decide says what to do about a policy, given the groups that exist, as the
// affinity policy's document has it (S1, S2). The errors are a [*MismatchError],
// an [*AmbiguousError] and a [*MissingError].
func Decide(policy Policy, groups []openstack.ServerGroup) (Decision, error) {
	wanted := cmp.Or(policy.Name, policy.Hint)
	if wanted == "" {
		return Decision{}, nil
	}
	var found []openstack.ServerGroup
	for _, g := range groups {
		if g.ID == wanted {
			found = []openstack.ServerGroup{g}
			break
		}
		if g.Name == wanted {
			found = append(found, g)
		}
	}
	switch {
	case len(found) > 1:
		ambiguous := &AmbiguousError{Name: wanted}
		for _, g := range found {
			ambiguous.IDs = append(ambiguous.IDs, g.ID)
		}
		slices.Sort(ambiguous.IDs)
		return Decision{}, ambiguous
	case len(found) == 0 && policy.Name == "":
		return Decision{}, &MissingError{policy.Hint}
	case len(found) == 0:
		return Decision{Create: policy.Name}, nil
	case found[0].Policy != policy.Policy, policy.MaxServerPerHost != 0 && found[0].MaxServerPerHost != policy.MaxServerPerHost:
		return Decision{}, &MismatchError{found[0], policy}
	}
	return Decision{Inherit: &found[0]}, nil
}

// DRSHost finds the host of a vSphere cluster with DRS: that of the first
// hypervisor, by its hostname, which is up, enabled and has "drs" in its
// hostname, in any case. It is empty where there is none.
func DRSHost(hypervisors []openstack.Hypervisor) string {
	var names []openstack.Hypervisor
	for _, h := range hypervisors {
		if h.Up && h.Enabled && strings.Contains(strings.ToLower(h.Hostname), "drs") {
			names = append(names, h)
		}
	}
	if len(names) == 0 {
		return ""
	}
	first := slices.MinFunc(names, func(a, b openstack.Hypervisor) int {
		return cmp.Or(strings.Compare(a.Hostname, b.Hostname), strings.Compare(a.Host, b.Host))
	})
	return first.Host
}

// Violation is a host that has more members of a group than its policy allows.
type Violation struct {
	HostID  string
	Members []string // ids, sorted
}

// Violations finds the hosts that break an anti-affinity group's policy. Hosts
// has the host of each member, by the member's id; a soft policy is not broken.
func Violations(group openstack.ServerGroup, hosts map[string]string) []Violation {
	if group.Policy != AntiAffinity {
		return nil
	}
	byHost := map[string][]string{}
	for _, member := range group.Members {
		if host := hosts[member]; host != "" {
			byHost[host] = append(byHost[host], member)
		}
	}
	var found []Violation
	for host, members := range byHost {
		if len(members) > max(group.MaxServerPerHost, 1) {
			slices.Sort(members)
			found = append(found, Violation{host, members})
		}
	}
	slices.SortFunc(found, func(a, b Violation) int { return strings.Compare(a.HostID, b.HostID) })
	return found
}

// Room is how many members an anti-affinity group can have on the hosts that
// are up and enabled.
func Room(group openstack.ServerGroup, hypervisors []openstack.Hypervisor) int64 {
	var hosts int64
	for _, h := range hypervisors {
		if h.Up && h.Enabled {
			hosts++
		}
	}
	return hosts * int64(max(group.MaxServerPerHost, 1))
}
