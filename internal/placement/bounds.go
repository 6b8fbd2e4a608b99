package placement

// bounds are all that a plan needs to know of a bin, or of a region with its
// zones: numbers of nodes, from the fewest to the most.
type bounds struct {
	name   string
	weight int64 // of bins that are not listed it is 1: of them the fullest counts the most
	nodes  int64 // that are there now

	low    int64 // removals leave so many
	within int64 // those above are removed before all others, except for
	listed int64 // those above, which are in places that are not listed and are removed first of all

	mins  int64 // as many are needed for its min and those of its zones
	short int64 // so many are missing for the mins of zones, whatever the other zones have
	high  int64 // additions leave so many at most
}

// bounds of a bin without parts.
func (b Bin) bounds() bounds {
	v := bounds{name: b.Name, weight: max(b.Weight, 1), nodes: b.Current}
	v.low = min(max(b.Min, b.Kept), b.Current)
	v.within, v.listed, v.high = b.Current, b.Current, MaxNodes
	switch {
	case b.Weight == 0:
		v.within, v.listed, v.high = 0, 0, b.Current
	case b.Cap != Unlimited:
		v.within, v.high = min(b.Cap, b.Current), max(min(b.Cap, MaxNodes), b.Current)
	}
	if b.closed() {
		v.high = b.Current
	}
	v.mins = min(b.Min, v.high)
	return v.keeping(v.low)
}

// bounds of a region: its own, and those of its zones added up. It takes no more
// than they can and gives up no more than they can, and what they have beyond
// their caps, or in zones that are not listed, it has too.
func (r Region) bounds() bounds {
	v := r.Bin.bounds()
	if len(r.Zones) == 0 {
		return v
	}
	var low, within, listed, room, mins int64
	for _, zone := range r.Zones {
		z := zone.bounds()
		low += z.low
		within += z.within
		listed += z.listed
		room = min(MaxNodes, room+z.room())
		mins += z.mins
		v.short += max(0, z.mins-z.nodes)
	}
	v.within, v.listed = min(v.within, within), min(v.listed, listed)
	v.high = min(v.high, v.nodes+room)
	v.mins = min(max(v.mins, mins), v.high)
	return v.keeping(low)
}

// keeping are the bounds where removals leave at least so many nodes.
func (v bounds) keeping(low int64) bounds {
	v.low = max(v.low, low)
	v.within, v.listed = max(v.within, v.low), max(v.listed, v.low)
	return v
}

// room is the number of nodes that can be added.
func (v bounds) room() int64 { return v.high - v.nodes }

// loose is the number of nodes that can be removed.
func (v bounds) loose() int64 { return v.nodes - v.low }

// first is the number of nodes up to which additions come before all others.
func (v bounds) first() int64 { return max(v.nodes, min(max(v.mins, v.nodes+v.short), v.high)) }

// boundsOf are those of regions, in their order.
func boundsOf(regions []Region) []bounds {
	list := make([]bounds, len(regions))
	for i, r := range regions {
		list[i] = r.bounds()
	}
	return list
}

func binBounds(bins []Bin) []bounds {
	list := make([]bounds, len(bins))
	for i, b := range bins {
		list[i] = b.bounds()
	}
	return list
}
