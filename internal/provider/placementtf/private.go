package placementtf

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wiring"
)

// The private state keeps what a refresh saw of the servers: there it costs
// Terraform nothing, while an attribute would double or triple the cost of every
// plan of a large cluster. It keeps only facts that decide something, because a changed
// private state raises the state's serial and makes saved plans stale.

const seenKey = "seen"

// memory has the facts that are remembered in addition to the attributes. As JSON, with
// sorted maps, it is the private state.
type memory struct {
	Seen   roster.Seen   `json:"seen"`
	Roster roster.Roster `json:"roster"`           // the parts that no attribute shows
	Marked bool          `json:"marked,omitempty"` // whether a node of the cluster ever carried a mark
	Blind  bool          `json:"blind,omitempty"`  // whether an apply followed the refresh that filled Seen
	// Awaited has the nodes that an apply should have brought into service or removed, until a refresh sees it.
	Awaited []string `json:"awaited,omitempty"`
	// AwaitedIn is what that apply began with, by [memory.fingerprint].
	AwaitedIn string `json:"awaited_in,omitempty"`
	// Wires are the loose wires between nodes and their servers.
	Wires []wiring.Finding `json:"wires,omitempty"`
	// Looked has the listed places and the hidden zones as the refresh found them.
	Looked placement.By[cluster.FindingKind] `json:"looked,omitempty"`
	// Sources are the ids of images and flavors as the refresh found them.
	Sources sources            `json:"sources,omitzero"`
	Open    []placement.Region `json:"-"` // places that this process has looked up
}

// active is the status of nearly every server, and is not written.
const active = "ACTIVE"

// loadMemory reads the memory from the private state.
func loadMemory(ctx context.Context, from private.Reader, diags *diag.Diagnostics) memory {
	m := private.Load[memory](ctx, from, seenKey, diags)
	for name, server := range m.Seen.Servers {
		server.Name, server.Status = name, cmp.Or(server.Status, active)
		m.Seen.Servers[name] = server
	}
	return m
}

// store writes the memory to the private state, unless it is unchanged.
func (m memory) store(ctx context.Context, into private.Writer, r roster.Roster, diags *diag.Diagnostics) {
	m.Seen.Servers = maps.Clone(m.Seen.Servers)
	for name, server := range m.Seen.Servers {
		if server.Status == active {
			server.Status = ""
		}
		if r.Nodes[name].Zone != "" {
			server.Zone = "" // a plan needs the server's zone only if its node has no zone
		}
		m.Seen.Servers[name] = server
	}
	m.Roster = r
	m.Roster.Next, m.Roster.Slots, m.Roster.Nodes = 0, nil, make(map[string]roster.Node, len(r.Nodes))
	for name, n := range r.Nodes {
		m.Roster.Nodes[name] = unshown(n)
	}
	private.Store(ctx, into, seenKey, m, diags)
}

// fingerprint returns a hash of what a refresh saw of the servers. An apply that did nothing leaves it as it is.
func (m memory) fingerprint() string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(m.Seen.Servers)) {
		s := m.Seen.Servers[name]
		fmt.Fprintf(hash, "%q", []string{name, s.ID, s.Status, s.InService, s.NotInService})
	}
	fmt.Fprintf(hash, "%q", slices.Sorted(maps.Keys(m.Seen.Missing)))
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// complete returns a policy with facts of the memory.
func (m memory) complete(policy roster.Policy) roster.Policy {
	policy.Blind, policy.Awaited = m.Blind, m.Awaited
	batches := []wiring.Hold{wiring.Batches}
	if !policy.RequireMarks {
		batches = append(batches, wiring.Unmade)
	}
	policy.MissingWire = wiring.Held(m.Wires, batches...)
	policy.MissingLine = wiring.Held(m.Wires, wiring.Moves, wiring.Unmade)
	return policy
}

// lookAt remembers which listed places take nodes now, as a look-up found them.
// Places that do not exist are left out: the next plan looks them up again, and
// reports them.
func (m *memory) lookAt(looked []placement.Region, findings []cluster.Finding) {
	m.Looked, m.Open = placement.By[cluster.FindingKind]{}, looked
	for _, r := range looked {
		m.Looked[placement.Place{Region: r.Name}] = cluster.Usable
		for _, z := range r.Zones {
			if !r.Closed && !r.Maintenance {
				m.Looked[placement.Place{Region: r.Name, Zone: z.Name}] = cluster.Usable
			}
		}
	}
	for _, f := range findings {
		at := placement.Place{Region: f.Region, Zone: f.Zone}
		if m.Looked[at] = f.Kind; f.Kind.Unknown() {
			delete(m.Looked, at)
		}
	}
}

// recall returns the region as the last refresh found it: closed, or with closed zones.
// It reports false if the refresh did not look up the whole region. A zone that is no
// longer listed, and has nodes, is recalled only if it is hidden.
func (m memory) recall(region placement.Region) (placement.Region, []cluster.Finding, bool) {
	kind, looked := m.Looked[placement.Place{Region: region.Name}]
	if !looked {
		return region, nil, false
	}
	region.Bin = kind.Close(region.Bin)
	switch {
	case region.Maintenance:
		return region, nil, true
	case region.Closed:
		return region, []cluster.Finding{{Kind: kind, Region: region.Name}}, true
	}
	var findings []cluster.Finding
	zones := slices.Clone(region.Zones)
	for i, z := range zones {
		kind, looked := m.Looked[placement.Place{Region: region.Name, Zone: z.Name}]
		if !looked || z.Weight == 0 && kind != cluster.ZoneHidden {
			return region, nil, false
		}
		zones[i] = kind.Close(z)
		if kind != cluster.Usable {
			findings = append(findings,
				cluster.Finding{Kind: kind, Closed: z.Maintenance, Region: region.Name, Zone: z.Name})
		}
	}
	region.Zones = zones
	return region, findings, true
}

// unshown returns the parts of a node that no attribute shows.
func unshown(n roster.Node) roster.Node {
	n.Index, n.Region, n.Template, n.Flavor, n.FlavorID, n.Image, n.Mark = 0, "", "", "", "", "", ""
	n.Generation, n.Ordinal = 0, 0
	if !n.Unplaced {
		n.Zone = ""
	}
	return n
}
