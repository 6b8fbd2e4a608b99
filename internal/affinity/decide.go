// Package affinity attaches a cluster to a Nova server group. It inherits a group that exists, or creates one, which
// is then deleted with the attachment. It also finds the host of a vSphere cluster with DRS.
package affinity

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// Policies lists all policies.
func Policies() []string { return []string{Affinity, AntiAffinity, SoftAffinity, SoftAntiAffinity} }

// Policy is the server group that a cluster needs.
type Policy struct {
	Name             string // name or id of the group, which is created if it does not exist
	Hint             string // name or id from scheduler hints, used without a Name; the group must exist
	Policy           string // "" accepts any policy of an inherited group, and means AntiAffinity for a new one
	MaxServerPerHost int    // limit of anti-affinity; 0 accepts any limit when inherited, and means 1 for a new group
	Created          bool   // reports whether the group must be the attachment's own, and not inherited
}

// decision is what to do: inherit a group, or create one with this name. With an empty name the new group gets a name
// that only the attachment knows.
type decision struct {
	inherit *openstack.ServerGroup
	create  string
}

// MismatchError means that a group exists and its rules differ from the policy.
type MismatchError struct {
	group  openstack.ServerGroup
	policy Policy
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the server group %q (%s) has the policy %s, and the attachment asks for %s", e.group.Name,
		e.group.ID, rules(e.group.Policy, e.group.MaxServerPerHost), rules(e.policy.Policy, e.policy.MaxServerPerHost))
}

func rules(policy string, maxServerPerHost int) string {
	if maxServerPerHost == 0 {
		return policy
	}
	return fmt.Sprintf("%s with at most %d servers a host", policy, maxServerPerHost)
}

// ExistsError means that a group exists, and the policy asks for a group of the attachment's own.
type ExistsError struct{ group openstack.ServerGroup }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("the server group %q (%s) exists, and created asks for a group that the attachment creates",
		e.group.Name, e.group.ID)
}

// AmbiguousError means that several groups have one name.
type AmbiguousError struct {
	name string
	ids  []string // sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d server groups are named %q (%s): name the right one by its id",
		len(e.ids), e.name, strings.Join(e.ids, ", "))
}

// MissingError means that the group of the scheduler hints does not exist, or that the project cannot see a group
// that is named by its id.
type MissingError struct {
	Group  string
	Hinted bool // reports whether the scheduler hints name the group
}

func (e *MissingError) Error() string {
	if e.Hinted {
		return fmt.Sprintf("no server group has the name or id %q, which the scheduler hints give", e.Group)
	}
	return fmt.Sprintf("no server group with the id %q is visible to the project, and the name of a new group must "+
		"not be an id", e.Group)
}

// choose returns what to do about a policy, given the existing groups, as the affinity policy's document defines it
// (S1, S2). The groups for which leaves is true are about to be deleted: their names are free. The errors are
// an [*ExistsError], a [*MismatchError], an [*AmbiguousError] and a [*MissingError].
func choose(policy Policy, groups []openstack.ServerGroup, leaves func(id string) bool) (decision, error) {
	wanted := cmp.Or(policy.Name, policy.Hint)
	if wanted == "" {
		return decision{}, nil
	}
	var found []openstack.ServerGroup
	for _, g := range groups {
		if g.ID == wanted {
			found = []openstack.ServerGroup{g}
			break
		}
		if g.Name == wanted && !leaves(g.ID) {
			found = append(found, g)
		}
	}
	switch {
	case len(found) > 1:
		ambiguous := &AmbiguousError{name: wanted}
		for _, g := range found {
			ambiguous.ids = append(ambiguous.ids, g.ID)
		}
		slices.Sort(ambiguous.ids)
		return decision{}, ambiguous
	case len(found) == 0 && policy.Name == "":
		return decision{}, &MissingError{policy.Hint, true}
	case len(found) == 0 && isID.MatchString(policy.Name):
		return decision{}, &MissingError{policy.Name, false}
	case len(found) == 0:
		return decision{create: policy.Name}, nil
	case policy.Created:
		return decision{}, &ExistsError{found[0]}
	case !policy.fits(found[0]):
		return decision{}, &MismatchError{found[0], policy}
	}
	return decision{inherit: &found[0]}, nil
}

// isID matches the ids that Nova gives to server groups.
var isID = regexp.MustCompile("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

// fits reports whether a group has the rules that a policy asks for.
func (p Policy) fits(g openstack.ServerGroup) bool {
	return (p.Policy == "" || p.Policy == g.Policy) &&
		(p.MaxServerPerHost == 0 || g.Policy == AntiAffinity && p.MaxServerPerHost == max(g.MaxServerPerHost, 1))
}

// Attached is the group that an attachment has.
type Attached struct {
	ID, Name, Region string
	Policy           string
	MaxServerPerHost int // limit that the attachment asked for
	Inherited        bool
}

// Change is a change for which an attachment needs another group.
type Change struct {
	Argument string // changed argument; "" if the attachment keeps its group
	Reason   string // half a sentence: "its policy becomes ..."
}

// NeedsAnother returns whether an attachment needs another group than the one it has, and for which argument. The
// name, policy and rules of a group cannot change, and a group stays in its region.
func NeedsAnother(has Attached, region string, policy Policy) Change {
	same := func(name string) bool { return name == has.Name || name == has.ID }
	switch {
	case region != has.Region:
		return Change{"region", fmt.Sprintf("its region changes from %s to %s", has.Region, region)}
	case policy.Name != "" && !same(policy.Name):
		return Change{"servergroup.name", fmt.Sprintf("another group is named, %q", policy.Name)}
	case policy.Name == "" && policy.Hint != "" && !same(policy.Hint):
		return Change{"scheduler_hints.group", fmt.Sprintf("the scheduler hints name another group, %q", policy.Hint)}
	case policy.Name == "" && policy.Hint == "" && has.Inherited:
		return Change{"servergroup", "no group is named any more, so that the attachment gets one of its own"}
	}
	// Hints alone accept any policy.
	want := policy
	if policy.Hint == "" {
		want.Policy = cmp.Or(want.Policy, AntiAffinity)
	}
	switch {
	case want.Policy != "" && want.Policy != has.Policy:
		return Change{"servergroup.policies", fmt.Sprintf("its policy changes from %s to %s", has.Policy, want.Policy)}
	case has.Inherited && want.MaxServerPerHost != 0 && want.MaxServerPerHost != has.MaxServerPerHost,
		!has.Inherited && max(want.MaxServerPerHost, 1) != max(has.MaxServerPerHost, 1):
		return Change{
			"servergroup.max_server_per_host",
			fmt.Sprintf("the maximum number of its servers on one host changes from %s to %s",
				atMost(has.MaxServerPerHost), atMost(want.MaxServerPerHost)),
		}
	}
	return Change{}
}

func atMost(maxServerPerHost int) string {
	if maxServerPerHost == 0 {
		return "the default"
	}
	return strconv.Itoa(maxServerPerHost)
}

// Violation is a host that has more members of a group than its policy allows.
type Violation struct {
	HostID  string
	Members []string // ids, sorted
}

// Violations finds the hosts that break an anti-affinity group's policy. The map hosts has the host of each member,
// by the member's id. A soft policy cannot be broken.
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

// NoHostError means that a region has no vSphere cluster with DRS that can be used.
type NoHostError struct{}

func (*NoHostError) Error() string { return "No suitable vSphere host is available." }

// wrongZoneError means that the vSphere cluster with DRS is in another zone than wanted.
type wrongZoneError struct{ host, zone, wanted string }

func (e *wrongZoneError) Error() string {
	return fmt.Sprintf("the host %q of the vSphere cluster with DRS is in the availability zone %q, not in %q",
		e.host, e.zone, e.wanted)
}

// DRSZone returns zone:host for servers of a vSphere cluster with DRS. The host is the first hypervisor, by its
// hostname, that is up, enabled, in the wanted zone (unless that is empty) and has "drs" in its hostname, in any
// case. The map zoneOf has the zone of each host; a host that is missing in it is in the zone "nova", as the policy's
// document defines it. The errors are a [*NoHostError] and a [*wrongZoneError].
func DRSZone(hypervisors []openstack.Hypervisor, zoneOf map[string]string, wanted string) (string, error) {
	var usable []openstack.Hypervisor
	for _, h := range hypervisors {
		if h.Up && h.Enabled && strings.Contains(strings.ToLower(h.Hostname), "drs") {
			usable = append(usable, h)
		}
	}
	if len(usable) == 0 {
		return "", &NoHostError{}
	}
	slices.SortFunc(usable, func(a, b openstack.Hypervisor) int {
		return cmp.Or(strings.Compare(a.Hostname, b.Hostname), strings.Compare(a.Host, b.Host))
	})
	zone := func(h openstack.Hypervisor) string { return cmp.Or(zoneOf[h.Host], "nova") }
	for _, h := range usable {
		if wanted == "" || zone(h) == wanted {
			return zone(h) + ":" + h.Host, nil
		}
	}
	return "", &wrongZoneError{usable[0].Host, zone(usable[0]), wanted}
}

// Room returns how many members an anti-affinity group can have on the hosts that can be used: hosts that are up,
// enabled, and in the zone that servers are sent to, or the very host for zone:host. An empty zone means any. The map
// zoneOf has the zone of each host; a host that is missing in it may be in any zone.
func Room(
	group openstack.ServerGroup, hypervisors []openstack.Hypervisor, zoneOf map[string]string, zone string,
) int64 {
	zone, forced, _ := strings.Cut(zone, ":")
	hosts := map[string]bool{} // a compute service may have several hypervisors
	for _, h := range hypervisors {
		inZone := zone == "" || cmp.Or(zoneOf[h.Host], zone) == zone
		if h.Up && h.Enabled && inZone && (forced == "" || forced == h.Host) {
			hosts[h.Host] = true
		}
	}
	return int64(len(hosts)) * int64(max(group.MaxServerPerHost, 1))
}
