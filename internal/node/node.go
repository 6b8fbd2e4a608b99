// Package node has the type of a node of a cluster: the reader fills it, and all policies decide by it.
package node

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Node is a server of a cluster, as the policies see it. The fields with a name in their tag are kept between two
// plans. The time of a look is not kept, because then each look would be a change.
type Node struct {
	ID    string `json:"id"`
	Name  string `json:"-"` // "" if a cell that is down hides it
	Index int64  `json:"-"` // number in the name: see [IndexOf]
	// Generation is how often the server was made, by its metadata. It is 0 if the metadata does not say so.
	Generation int64  `json:"-"`
	Region     string `json:"-"`
	Zone       string `json:"zone,omitempty"`   // without the host of zone:host; "" before the server is scheduled
	Status     string `json:"status,omitempty"` // status in Nova
	HostID     string `json:"-"`                // hash of project and host: equal for nodes on one host

	CreatedAt        time.Time `json:"created,omitzero"`         // zero: not known, or not created yet
	LaunchedAt       time.Time `json:"-"`                        // also of a rebuild or resize; zero: not known
	SeenAt           time.Time `json:"-"`                        // time of the answer, by Nova's clock; zero: not known
	Profile          string    `json:"-"`                        // image; "" if the server boots from a volume
	ProfileCreatedAt time.Time `json:"profile_created,omitzero"` // zero: not known

	Flavor string `json:"-"` // by its name or id, as Nova shows it

	Addresses []string `json:"-"` // the first one is asked; none unless they were asked for, as the next two
	Ports     int      `json:"-"` // number of ports with an address
	Volumes   int      `json:"-"`

	Tainted   bool `json:"tainted,omitempty"`
	Protected bool `json:"protected,omitempty"` // by its metadata, or because it is locked
	Locked    bool `json:"locked,omitempty"`    // reports whether the server is locked in Nova

	// Build is a fingerprint of the server's image, flavor and launch. A rebuild or a resize changes it. Two builds
	// are equal or different; they have no other meaning.
	Build string `json:"-"`

	// Unmade reports that the server ended in ERROR while Nova made it. Terraform saw that, and makes it again.
	Unmade bool `json:"unmade,omitempty"`
	// Fault is Nova's reason for an error of the server, in its own words, or "".
	Fault string `json:"fault,omitempty"`

	// InService is the mark of a server that was found in service, or "". Two marks are equal or different; they have
	// no other meaning.
	InService string `json:"in_service,omitempty"`
	// NotInService is the mark that a wait for the server did not set, or "".
	NotInService string `json:"not_in_service,omitempty"`
	// InServiceAt is the time when the server got its mark, and NotInServiceAt the end of the wait without a mark.
	// Both are by Nova's clock, and zero if they are not known.
	InServiceAt    time.Time `json:"-"`
	NotInServiceAt time.Time `json:"-"`

	// Unwell is what is wrong with the node's service. It is "" if the service is healthy, or was not checked.
	Unwell string `json:"unwell,omitempty"`
	// Whole reports that the server was once seen with all the ports and volumes that its node has. LostPorts and
	// LostVolumes are the numbers that it has no more.
	Whole       bool `json:"whole,omitempty"`
	LostPorts   int  `json:"lost_ports,omitempty"`
	LostVolumes int  `json:"lost_volumes,omitempty"`
	// HealthUnknown reports that the node's service should have been checked, and its health is not known.
	HealthUnknown bool `json:"health_unknown,omitempty"`

	// Drained reports that the server was drained: it is not in service. Draining reports that its drain has begun, and
	// its hook was not done: it may serve still, and does not count as in service until it is found to be.
	Drained  bool `json:"drained,omitempty"`
	Draining bool `json:"draining,omitempty"`
	// Deleting reports that Nova is about to delete the server.
	Deleting bool `json:"deleting,omitempty"`
}

// Unclaimed reports whether nobody has ever waited for the server, as far as it shows: if Terraform does not know it,
// the answer to its creation was lost.
func (n Node) Unclaimed() bool {
	return n.ID != "" && n.InService == "" && n.NotInService == "" && n.Status != "ERROR" && !n.Drained && !n.Draining
}

// FailedAfter reports whether the server was made after another one of its name, which serves, and did not get into
// service: Nova could not make it, or a wait for it ended.
func (n Node) FailedAfter(own Node) bool {
	noted := own.InService != "" && n.NotInService == own.InService && n.InService == ""
	return own.Status == "ACTIVE" && (n.Unmade || noted) && n.CreatedAt.After(own.CreatedAt)
}

// Lacks reports whether the server has lost ports or volumes.
func (n Node) Lacks() bool { return n.LostPorts+n.LostVolumes > 0 }

var number = regexp.MustCompile("[0-9]+")

// IndexOf returns the last number in a name, or -1 without one.
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

// compare orders nodes by region, creation time (nodes not created yet come last) and id.
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

// Sort sorts nodes by region, creation time (nodes not created yet come last) and id.
func Sort(nodes []Node) {
	slices.SortFunc(nodes, Node.compare)
}

// Distribution counts nodes by region and zone. Nodes without a zone are counted under the empty name. The given
// regions are in the result even without nodes.
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
