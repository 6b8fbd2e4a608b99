// Package node has what is known of a node of a cluster: the one type that the
// reader fills and that all policies decide by.
package node

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Node is a server of a cluster, as the policies see it. Its tags say what is kept of it
// between two plans: no time of a look, because with it each look would be another one.
type Node struct {
	ID    string `json:"id"`
	Name  string `json:"-"` // "" where a cell that is down hides it
	Index int64  `json:"-"` // the number in the name: see [IndexOf]
	// Generation is what the server carries in its metadata: how often it was made; 0: nothing.
	Generation int64  `json:"-"`
	Region     string `json:"-"`
	Zone       string `json:"zone,omitempty"`   // without the host of zone:host; "" before it is scheduled
	Status     string `json:"status,omitempty"` // Nova's
	HostID     string `json:"-"`                // a hash of project and host: equal for nodes on one host

	CreatedAt        time.Time `json:"created,omitzero"`         // zero: not known, or not created yet
	LaunchedAt       time.Time `json:"-"`                        // a rebuild and a resize renew it; zero: not known
	SeenAt           time.Time `json:"-"`                        // Nova's clock when it said all this; zero: not known
	Profile          string    `json:"-"`                        // the image, or the value of the profile's key
	ProfileCreatedAt time.Time `json:"profile_created,omitzero"` // zero: not known

	Tainted   bool `json:"tainted,omitempty"`
	Protected bool `json:"protected,omitempty"` // by its metadata, or locked
	Locked    bool `json:"locked,omitempty"`    // in Nova

	// Build says what the server is made from, as far as Nova shows it: image, flavor
	// and launch, which a rebuild and a resize renew. Two are equal or not.
	Build string `json:"-"`

	// Fault is why Nova gave the server up, in its words; "" without one.
	Fault string `json:"fault,omitempty"`
	// Group is the server group that keeps a server from the hosts of others, where it found no host;
	// nil without one.
	Group *Group `json:"-"`

	// InService is the mark that says that the server was found in service; "": it
	// has none. Marks are equal or not, and nothing else is read from them.
	InService string `json:"in_service,omitempty"`
	// NotInService is the mark that a wait for the server ended without; "": none did.
	NotInService string `json:"not_in_service,omitempty"`
	// InServiceAt is when the server got its mark, NotInServiceAt when that wait ended.
	// Both are by Nova's clock; zero: not known.
	InServiceAt    time.Time `json:"-"`
	NotInServiceAt time.Time `json:"-"`

	// Unwell is what a look at the node's service found wrong; "" where it is well, or
	// was not looked at.
	Unwell string `json:"unwell,omitempty"`
	// HealthUnknown says that the node's service should have been looked at, and that it
	// is not known whether it is well.
	HealthUnknown bool `json:"health_unknown,omitempty"`

	// Drained says that the server's drain has begun: it is not in service.
	Drained bool `json:"drained,omitempty"`
	// Deleting says that Nova is about to delete the server.
	Deleting bool `json:"deleting,omitempty"`
}

// Group is a server group, no two servers of which share a host: the ids of its members, of whatever
// cluster.
type Group []string

var number = regexp.MustCompile("[0-9]+")

// IndexOf is the last number in a name, or -1 where there is none.
func IndexOf(name string) int64 {
	all := number.FindAllString(name, -1)
	if len(all) == 0 {
		return -1
	}
	index, err := strconv.ParseInt(all[len(all)-1], 10, 64)
	if err != nil {
		return -1
	}
	return index
}

// compare orders nodes by region, creation (those not created last) and id.
func (n Node) compare(m Node) int {
	if r := strings.Compare(n.Region, m.Region); r != 0 {
		return r
	}
	if a, b := n.CreatedAt.IsZero(), m.CreatedAt.IsZero(); a != b {
		if a {
			return 1
		}
		return -1
	}
	return cmp.Or(n.CreatedAt.Compare(m.CreatedAt), strings.Compare(n.ID, m.ID))
}

// Sort sorts nodes by region, creation time (nodes not created yet come last)
// and id.
func Sort(nodes []Node) {
	slices.SortFunc(nodes, Node.compare)
}

// Distribution counts nodes by region and zone. Nodes without a zone are
// counted under the empty name. The regions given are there without nodes too.
func Distribution(nodes []Node, regions ...string) map[string]map[string]int64 {
	counts := map[string]map[string]int64{}
	for _, region := range regions {
		counts[region] = map[string]int64{}
	}
	for _, n := range nodes {
		if counts[n.Region] == nil {
			counts[n.Region] = map[string]int64{}
		}
		counts[n.Region][n.Zone]++
	}
	return counts
}
