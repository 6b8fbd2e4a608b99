// Package affinity attaches a cluster to a Nova server group. It inherits a group that exists, or creates one, which
// is then deleted with the attachment. It also finds the host of a vSphere cluster with DRS.
package affinity

import (
	"cmp"
	"fmt"
	"regexp"
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

// Policies lists all policies.
func Policies() []string { return []string{Affinity, AntiAffinity, SoftAffinity, SoftAntiAffinity} }

// Policy is the server group that a cluster needs.
type Policy struct {
	Name             string // name or id of the group, which is created if it does not exist
	Hint             string // name or id from scheduler hints, used without a Name; the group must exist
	Policy           string // "" accepts any policy of an inherited group, and means AntiAffinity for a new one
	MaxServerPerHost int    // limit of anti-affinity; 0 accepts any limit when inherited, and means 1 for a new group
}

// ArgumentError means that an argument asks for a group that cannot be had.
type ArgumentError struct {
	Argument    string // with dots
	Title, Text string
	Later       bool // whether the group may be made before an apply needs it
}

func (e *ArgumentError) Error() string { return e.Text }

func rules(policy string, maxServerPerHost int) string {
	if maxServerPerHost == 0 {
		return policy
	}
	return fmt.Sprintf("%s with at most %d servers a host", policy, maxServerPerHost)
}

// choose returns the group to inherit, or nil to create one, given the existing groups, as the affinity policy's
// document defines it (S1, S2). The groups for which leaves is true are about to be deleted: their names are free. The
// error is an [*ArgumentError].
func choose(
	policy Policy, groups []openstack.ServerGroup, leaves func(id string) bool,
) (*openstack.ServerGroup, error) {
	wanted, argument := cmp.Or(policy.Name, policy.Hint), "servergroup.name"
	if policy.Name == "" {
		argument = "scheduler_hints.group"
	}
	if wanted == "" {
		return nil, nil
	}
	var found []openstack.ServerGroup
	var ids []string
	for _, g := range groups {
		if g.ID == wanted {
			found = []openstack.ServerGroup{g}
			break
		}
		if g.Name == wanted && !leaves(g.ID) {
			found, ids = append(found, g), append(ids, g.ID)
		}
	}
	slices.Sort(ids)
	switch {
	case len(found) > 1:
		return nil, &ArgumentError{argument, "Several server groups have the name", fmt.Sprintf(
			"%d server groups are named %q (%s): name the right one by its id.", len(ids), wanted,
			strings.Join(ids, ", ")), false}
	case len(found) == 0 && policy.Name == "":
		return nil, &ArgumentError{argument, "Unknown server group", fmt.Sprintf(
			"No server group has the name or id %q, which the scheduler hints give.", wanted), true}
	case len(found) == 0 && isID.MatchString(wanted):
		return nil, &ArgumentError{argument, "Unknown server group", fmt.Sprintf("No server group with the id %q is "+
			"visible to the project, and the name of a new group must not be an id.", wanted), false}
	case len(found) == 0:
		return nil, nil
	case !policy.fits(found[0]):
		return nil, &ArgumentError{"servergroup.policies", "The server group has other rules", fmt.Sprintf("The "+
			"server group %q (%s) has the policy %s, and the attachment asks for %s. The rules of a group cannot "+
			"change: ask for its rules, or name another group. With create_before_destroy a new group needs another "+
			"name too: the old one is still there.", found[0].Name, found[0].ID,
			rules(found[0].Policy, found[0].MaxServerPerHost), rules(policy.Policy, policy.MaxServerPerHost)), false}
	}
	return &found[0], nil
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

// Another returns the argument for which an attachment needs another group than the one it has, or "". The name, policy
// and rules of a group cannot change, and a group stays in its region.
func (a Attached) Another(region string, policy Policy) (argument string) {
	same := func(name string) bool { return name == a.Name || name == a.ID }
	if policy.Hint == "" { // hints alone accept any policy
		policy.Policy = cmp.Or(policy.Policy, AntiAffinity)
	}
	most := policy.MaxServerPerHost
	switch {
	case region != a.Region:
		return "region"
	case policy.Name != "" && !same(policy.Name):
		return "servergroup.name"
	case policy.Name == "" && policy.Hint != "" && !same(policy.Hint):
		return "scheduler_hints.group"
	case policy.Name == "" && policy.Hint == "" && a.Inherited:
		return "servergroup"
	case policy.Policy != "" && policy.Policy != a.Policy:
		return "servergroup.policies"
	case a.Inherited && most != 0 && most != a.MaxServerPerHost,
		!a.Inherited && max(most, 1) != max(a.MaxServerPerHost, 1):
		return "servergroup.max_server_per_host"
	}
	return ""
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

// DRSZone returns zone:host for servers of a vSphere cluster with DRS. The host is the first hypervisor, by its
// hostname, that is up, enabled, in the wanted zone (unless that is empty) and has "drs" in its hostname, in any
// case. The map zoneOf has the zone of each host; a host that is missing in it is in the zone "nova", as the policy's
// document defines it. The error is a [*NoHostError] if there is none, and otherwise about another zone.
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
	return "", fmt.Errorf("the host %q of the vSphere cluster with DRS is in the availability zone %q, not in %q",
		usable[0].Host, zone(usable[0]), wanted)
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
