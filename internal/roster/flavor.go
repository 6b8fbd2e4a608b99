package roster

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Flavors lists the flavors of new nodes, the first choice first. A zone without a list has the list of
// its region, and a region without a list has the list of all.
type Flavors map[placement.Place][]string

// FlavorIDs are the ids of flavors, by region and by the text that a policy calls them by.
type FlavorIDs map[string]map[string]string

// At lists the flavors of a place, or one empty name if there are none.
func (f Flavors) At(at placement.Place) []string {
	for _, own := range []placement.Place{at, {Region: at.Region}, {}} {
		if list := f[own]; len(list) > 0 {
			return list
		}
	}
	return []string{""}
}

// In lists the flavors of the places of a region, zone by zone, each once.
func (f Flavors) In(region placement.Region) (all []string) {
	for _, at := range region.Places() {
		for _, flavor := range f.At(at) {
			if !slices.Contains(all, flavor) {
				all = append(all, flavor)
			}
		}
	}
	return all
}

// Spot is a flavor in a place.
type Spot struct {
	placement.Place
	Flavor string
}

// String is "m1.large in RegionOne/az-1", or the place alone.
func (s Spot) String() string {
	if s.Flavor == "" {
		return s.Place.String()
	}
	return s.Flavor + " in " + s.Place.String()
}

// Compare orders spots by place, then by flavor.
func (s Spot) Compare(t Spot) int {
	return cmp.Or(s.Place.Compare(t.Place), cmp.Compare(s.Flavor, t.Flavor))
}

// MarshalText makes a spot a key of JSON.
func (s Spot) MarshalText() ([]byte, error) {
	return json.Marshal([]string{s.Region, s.Zone, s.Flavor})
}

// UnmarshalText reads what MarshalText wrote.
func (s *Spot) UnmarshalText(text []byte) error {
	var parts [3]string
	err := json.Unmarshal(text, &parts)
	s.Region, s.Zone, s.Flavor = parts[0], parts[1], parts[2]
	return err
}

// FullPlaces lists the places in which all flavors are full, in order.
func (s Seen) FullPlaces(policy Policy) []placement.Place {
	places := map[placement.Place]bool{}
	for spot := range s.Full {
		if _, left := policy.FlavorOf(spot.Place, s.Full); !left {
			places[spot.Place] = true
		}
	}
	return slices.SortedFunc(maps.Keys(places), placement.Place.Compare)
}

// FlavorOf is the first flavor of a place that is not full. It reports false if all are full.
func (p Policy) FlavorOf(at placement.Place, full map[Spot]time.Time) (flavor string, ok bool) {
	flavors := p.Flavors.At(at)
	open := func(f string) bool { _, is := full[Spot{Place: at, Flavor: f}]; return !is }
	if i := slices.IndexFunc(flavors, open); i >= 0 {
		return flavors[i], true
	}
	return flavors[0], false
}

// rank is the position of a node's flavor among the flavors of a place, by name or by id; -1 if it is not listed.
func (p Policy) rank(at placement.Place, n Node) int {
	flavors := p.Flavors.At(at)
	if i := slices.Index(flavors, n.Flavor); i >= 0 {
		return i
	}
	return slices.IndexFunc(flavors, func(f string) bool {
		return n.FlavorID != "" && (f == n.FlavorID || p.FlavorIDs[at.Region][f] == n.FlavorID)
	})
}

// Offers reports whether the flavor of a node is one of a place.
func (p Policy) Offers(at placement.Place, n Node) bool { return p.rank(at, n) >= 0 }

// Outdated reports whether a node has another template than the wanted one of its place, or a flavor that is not listed
// there. A flavor that nobody listed before is no difference.
func (p Policy) Outdated(n Node) bool {
	unlisted := len(p.Flavors) > 0 && n.Flavor+n.FlavorID != "" && !p.Offers(placement.Choice(p.Regions, n.Place), n)
	return unlisted || n.Template != p.Templates.At(n.Place)
}

// EarlierFlavor returns an earlier flavor of the list that a node would get now, or "".
func (p Policy) EarlierFlavor(at placement.Place, n Node, seen Seen) string {
	first, ok := p.FlavorOf(at, seen.Full)
	own := p.rank(at, n)
	if !ok || own >= 0 && own <= slices.Index(p.Flavors.At(at), first) {
		return ""
	}
	return first
}
