package roster

// Number gives each node without an ordinal the smallest one, from 1, that no node of its region
// has. A node of the roster before counts too: what it has by its ordinal may be its own until the
// new node comes. So a cluster needs as many ordinals as its capacity and a batch.
func (r Roster) Number(before Roster) {
	type ordinal struct {
		region string
		number int64
	}
	taken := map[ordinal]bool{}
	for _, nodes := range []map[string]Node{before.Nodes, before.Leaving} {
		for _, n := range nodes {
			taken[ordinal{n.Region, n.Ordinal}] = true
		}
	}
	last := map[string]int64{} // by region
	for _, name := range r.Names() {
		n := r.Nodes[name]
		if n.Ordinal > 0 {
			continue
		}
		for last[n.Region]++; taken[ordinal{n.Region, last[n.Region]}]; last[n.Region]++ {
		}
		n.Ordinal = last[n.Region]
		r.Nodes[name] = n
	}
}
