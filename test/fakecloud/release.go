package fakecloud

import (
	"maps"
	"slices"
)

// Release has the differences between releases of OpenStack in the fake's part of them. The contract test asks a real
// cloud of each.
type Release struct {
	Microversion string   // Nova's newest microversion
	ListsFaults  bool     // reports whether lists also have the faults of servers that were never on a host
	Images       []int    // minor versions of Glance's API, in the order of its list
	Network      []string // additional fields of a network, all false
}

// Zed is the default release of a fake cloud.
const Zed = "zed"

// Releases are the possible releases of a fake cloud, by name.
var Releases = map[string]Release{
	Zed: {
		Microversion: "2.93",
		Images:       []int{15, 9, 7, 6, 5, 4, 3, 2, 1, 0},
	},
	"2025.1": {
		Microversion: "2.100",
		Images:       []int{15, 9, 17, 7, 6, 5, 4, 3, 2, 1, 0},
	},
	"2026.1": {
		Microversion: "2.103",
		ListsFaults:  true,
		Images:       []int{15, 9, 17, 7, 6, 5, 4, 3, 2, 1, 0},
		Network:      []string{"qinq", "vlan_transparent"},
	},
}

// ReleaseOf returns the name of the release with a newest microversion, or "".
func ReleaseOf(microversion string) string {
	for _, name := range slices.Sorted(maps.Keys(Releases)) {
		if Releases[name].Microversion == microversion {
			return name
		}
	}
	return ""
}
