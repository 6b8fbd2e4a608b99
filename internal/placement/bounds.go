package placement

// bounds has the numbers of nodes that a plan needs to know about a bin, or about a region with its zones. They
// divide its nodes by the turn in which they are removed or added:
//
//	0 ......... low ......... within ......... listed ......... nodes ......... first ......... high
//	    kept      removed last   removed second   removed first     added first     added last
type bounds struct {
	name   string
	weight int64 // 1 if the place is not listed, so that only its nodes count
	nodes  int64 // number of existing nodes

	low    int64 // nodes that removals keep
	within int64 // nodes that are listed and within all caps
	listed int64 // nodes that are in listed places

	mins  int64 // nodes that its min and the mins of its zones need
	short int64 // nodes that are missing for the mins of zones, whatever the other zones have
	high  int64 // maximum number of nodes after additions
}

// bounds returns the bounds of a bin without parts.
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

// bounds returns the bounds of a region: its own, and the sums over its zones. A region takes and loses only as many
// nodes as its zones can. It also has the nodes that its zones have beyond their caps, or that are in zones that are
// not listed.
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

// keeping returns the bounds if removals keep at least low nodes.
func (v bounds) keeping(low int64) bounds {
	v.low = max(v.low, low)
	v.within, v.listed = max(v.within, v.low), max(v.listed, v.low)
	return v
}

// room returns the number of nodes that can be added.
func (v bounds) room() int64 { return v.high - v.nodes }

// removable returns the number of nodes that can be removed.
func (v bounds) removable() int64 { return v.nodes - v.low }

// first returns the number of nodes up to which additions come before all others.
func (v bounds) first() int64 { return max(v.nodes, min(max(v.mins, v.nodes+v.short), v.high)) }

// boundsOf returns the bounds of regions, in the order of the regions.
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
