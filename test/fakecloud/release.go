package fakecloud

import (
	"maps"
	"slices"
)

// Release is what differs between releases of OpenStack, in what the fake
// has of them. The contract test asks a real cloud of each.
type Release struct {
	Microversion string   // the newest of Nova
	ListsFaults  bool     // of servers that never were on a host, too
	Images       []int    // the minor versions of Glance's API, in the order of its list
	Network      []string // what a network has in addition, each false
	Messaging    []int    // the versions of Zaqar's API, as indices of zaqarVersions
	ClientHeader string   // as Zaqar writes it where it is missing
}

// Zed is the default release of a fake cloud.
const Zed = "zed"

// Releases are the releases that a fake cloud can be of, by name.
var Releases = map[string]Release{
	Zed: {
		Microversion: "2.93",
		Images:       []int{15, 9, 7, 6, 5, 4, 3, 2, 1, 0},
		Messaging:    []int{0, 1, 2},
		ClientHeader: "Client-ID",
	},
	"2025.1": {
		Microversion: "2.100",
		Images:       []int{15, 9, 17, 7, 6, 5, 4, 3, 2, 1, 0},
		Messaging:    []int{1, 2},
		ClientHeader: "Client-ID",
	},
	"2026.1": {
		Microversion: "2.103",
		ListsFaults:  true,
		Images:       []int{15, 9, 17, 7, 6, 5, 4, 3, 2, 1, 0},
		Network:      []string{"qinq", "vlan_transparent"},
		Messaging:    []int{2},
		ClientHeader: "Client-Id",
	},
}

// ReleaseOf returns the name of the release whose newest microversion that is,
// or "".
func ReleaseOf(microversion string) string {
	for _, name := range slices.Sorted(maps.Keys(Releases)) {
		if Releases[name].Microversion == microversion {
			return name
		}
	}
	return ""
}
