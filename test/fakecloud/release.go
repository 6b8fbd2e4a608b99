package fakecloud

import (
	"maps"
	"slices"
)

// Release has the differences between releases of OpenStack in the fake's part of them. The contract test asks a real
// cloud of each.
type Release struct {
	Microversion string // Nova's newest microversion
	ListsFaults  bool   // reports whether lists also have the faults of servers that were never on a host
}

// Zed is the default release of a fake cloud.
const Zed = "zed"

// Releases are the possible releases of a fake cloud, by name.
var Releases = map[string]Release{
	Zed: {
		Microversion: "2.93",
	},
	"2025.1": {
		Microversion: "2.100",
	},
	"2026.1": {
		Microversion: "2.103",
		ListsFaults:  true,
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
