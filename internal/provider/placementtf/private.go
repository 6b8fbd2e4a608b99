package placementtf

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// What a refresh saw of the servers is kept in the private state: there it costs
// Terraform nothing, while an attribute would double or triple the cost of every
// plan of a large cluster. Only what decides is kept, because a private state
// that changed raises the state's serial and makes saved plans stale.

const seenKey = "seen"

// memory is what is remembered in addition to the attributes.
type memory struct {
	seen     roster.Seen
	roster   roster.Roster     // all that is no attribute: its nodes are not here
	zones    map[string]string // of nodes that have none for now
	unserved map[string]bool   // nodes that were looked at, and never were in service
	marked   bool              // whether a node of the cluster ever carried a mark
	batch    int64             // number of the batch that was taken last
	// The listed places that the refresh looked at, and why they take no nodes: "" where they do.
	looked map[placement.Place]string
}

// memoryState is the private state, as JSON. Its maps and lists are sorted.
type memoryState struct {
	Servers  map[string]serverState `json:"servers,omitempty"` // by the name of the node
	Missing  []string               `json:"missing,omitempty"` // looked for, and not there
	Unserved []string               `json:"unserved,omitempty"`
	Zones    map[string]string      `json:"zones,omitempty"`
	Leaving  []leavingState         `json:"leaving,omitempty"` // by index
	Order    []roster.Template      `json:"templates,omitempty"`
	Settled  []settledState         `json:"settled,omitempty"`
	Failed   []failedState          `json:"failed,omitempty"`
	Former   []formerState          `json:"named,omitempty"`
	Marked   bool                   `json:"marked,omitempty"`
	Batch    int64                  `json:"batch,omitempty"`
	Looked   []placeState           `json:"places,omitempty"`
	Full     []fullState            `json:"full,omitempty"`
}

type serverState struct {
	ID             string     `json:"id"`
	Status         string     `json:"status,omitempty"` // unless it is ACTIVE
	Fault          string     `json:"fault,omitempty"`
	Created        *time.Time `json:"created,omitempty"`
	ProfileCreated *time.Time `json:"profile_created,omitempty"`
	Tainted        bool       `json:"tainted,omitempty"`
	Protected      bool       `json:"protected,omitempty"`
	Locked         bool       `json:"locked,omitempty"`
	InService      string     `json:"in_service,omitempty"` // its mark
	Drained        bool       `json:"drained,omitempty"`
	Unwell         string     `json:"unwell,omitempty"`
	HealthUnknown  bool       `json:"health_unknown,omitempty"`
	Zone           string     `json:"zone,omitempty"` // where the node has none, until its region lists zones

	Aged   *agedState `json:"aged,omitempty"`
	Baking bool       `json:"baking,omitempty"`

	Build string      `json:"build,omitempty"`
	Mark  roster.Mark `json:"mark,omitempty"` // that the node had then
}

// agedState is a node that was too old.
type agedState struct {
	Launched time.Time   `json:"launched"`
	Mark     roster.Mark `json:"mark"` // that the node had then
}

type leavingState struct {
	Name       string          `json:"name"`
	Index      int64           `json:"index"`
	Region     string          `json:"region"`
	Zone       string          `json:"zone,omitempty"`
	Template   roster.Template `json:"template,omitempty"`
	Generation int64           `json:"generation"`
	Mark       roster.Mark     `json:"mark"`
	Served     bool            `json:"served,omitempty"`
}

type settledState struct {
	Region   string          `json:"region,omitempty"`
	Zone     string          `json:"zone,omitempty"`
	Template roster.Template `json:"template"`
}

// failedState is a template that failed, by its hash.
type failedState struct {
	Template string `json:"template"`
	Node     string `json:"node"`
	After    int64  `json:"after"` // seconds
}

type formerState struct {
	Cluster string         `json:"cluster"`
	Pattern roster.Pattern `json:"pattern"`
	Next    int64          `json:"next"`
}

// fullState is a place in which Nova found no host for a server of that time.
type fullState struct {
	Region string    `json:"region"`
	Zone   string    `json:"zone,omitempty"`
	Since  time.Time `json:"since"`
}

type placeState struct {
	Region string `json:"region"`
	Zone   string `json:"zone,omitempty"`
	Why    string `json:"why,omitempty"`
}

// loadMemory reads what is remembered.
func loadMemory(ctx context.Context, from private.Reader, diags *diag.Diagnostics) memory {
	state := private.Load[memoryState](ctx, from, seenKey, diags)
	m := memory{
		seen:     roster.NewSeen(),
		zones:    state.Zones,
		unserved: map[string]bool{},
		marked:   state.Marked,
		batch:    state.Batch,
		looked:   map[placement.Place]string{},
	}
	for name, s := range state.Servers {
		m.seen.Servers[name] = node.Node{
			ID:     s.ID,
			Name:   name,
			Status: cmp.Or(s.Status, "ACTIVE"),
			Fault:  s.Fault,
			CreatedAt: timeOf(
				s.Created,
			),
			ProfileCreatedAt: timeOf(s.ProfileCreated),
			Tainted:          s.Tainted,
			Protected:        s.Protected,
			Locked:           s.Locked,
			InService:        s.InService,
			Drained:          s.Drained,
			Unwell:           s.Unwell,
			HealthUnknown:    s.HealthUnknown,
			Zone:             s.Zone,
		}
		if s.Aged != nil {
			m.seen.Aged[name] = roster.Aged{Mark: s.Aged.Mark, Launched: s.Aged.Launched}
		}
		if s.Baking {
			m.seen.Baking[name] = true
		}
		if s.Build != "" {
			m.seen.Builds[name] = roster.Build{Mark: s.Mark, Of: s.Build}
		}
	}
	for _, name := range state.Missing {
		m.seen.Missing[name] = true
	}
	for _, name := range state.Unserved {
		m.unserved[name] = true
	}
	for _, f := range state.Full {
		m.seen.Full[placement.Place{Region: f.Region, Zone: f.Zone}] = f.Since
	}
	m.roster = state.roster()
	for _, p := range state.Looked {
		m.looked[placement.Place{Region: p.Region, Zone: p.Zone}] = p.Why
	}
	return m
}

// roster is what is remembered of the roster, without its nodes.
func (state memoryState) roster() roster.Roster {
	r := roster.Roster{
		Order:   state.Order,
		Leaving: map[string]roster.Node{},
		Settled: roster.Templates{},
		Former:  map[roster.Naming]int64{},
	}
	for _, l := range state.Leaving {
		r.Leaving[l.Name] = roster.Node{Index: l.Index, Place: placement.Place{Region: l.Region, Zone: l.Zone},
			Template: l.Template, Generation: l.Generation, Mark: l.Mark, Served: l.Served}
	}
	for _, t := range state.Settled {
		r.Settled[placement.Place{Region: t.Region, Zone: t.Zone}] = t.Template
	}
	for _, f := range state.Failed {
		r.Failed = append(r.Failed, roster.Failure{
			Template: f.Template,
			Node:     f.Node,
			After:    time.Duration(f.After) * time.Second,
		})
	}
	for _, f := range state.Former {
		r.Former[roster.Naming{Cluster: f.Cluster, Pattern: f.Pattern}] = f.Next
	}
	return r
}

// store writes what is remembered, unless that is what was there.
func (m memory) store(ctx context.Context, into private.Writer, r roster.Roster, diags *diag.Diagnostics) {
	state := memoryState{
		Servers: make(map[string]serverState, len(m.seen.Servers)),
		Missing: slices.Sorted(maps.Keys(m.seen.Missing)),
		Zones:   map[string]string{},
		Order:   r.Order,
		Marked:  m.marked,
		Batch:   m.batch,
	}
	for name, s := range m.seen.Servers {
		kept := serverState{
			ID:             s.ID,
			Created:        timeOrNil(s.CreatedAt),
			ProfileCreated: timeOrNil(s.ProfileCreatedAt),
			Tainted:        s.Tainted,
			Protected:      s.Protected,
			Locked:         s.Locked,
			InService:      s.InService,
			Drained:        s.Drained,
			Unwell:         s.Unwell,
			HealthUnknown:  s.HealthUnknown,
		}
		if s.Status != "ACTIVE" {
			kept.Status = s.Status
		}
		if s.Status == "ERROR" {
			kept.Fault = s.Fault
		}
		if r.Nodes[name].Zone == "" {
			kept.Zone = s.Zone
		}
		if build := m.seen.Builds[name]; r.Nodes[name].Template != "" {
			kept.Build, kept.Mark = build.Of, build.Mark
		}
		if aged, there := m.seen.Aged[name]; there {
			kept.Aged = &agedState{aged.Launched, aged.Mark}
		}
		kept.Baking = m.seen.Baking[name]
		state.Servers[name] = kept
	}
	for _, name := range r.Names() {
		n := r.Nodes[name]
		if n.Unplaced && n.Zone != "" {
			state.Zones[name] = n.Zone
		}
		if !n.Served && m.seen.Looked(name) {
			state.Unserved = append(state.Unserved, name)
		}
	}
	for _, name := range r.LeavingNames() {
		n := r.Leaving[name]
		state.Leaving = append(
			state.Leaving,
			leavingState{name, n.Index, n.Region, n.Zone, n.Template, n.Generation, n.Mark, n.Served},
		)
	}
	for _, at := range slices.SortedFunc(maps.Keys(r.Settled), placement.Place.Compare) {
		state.Settled = append(state.Settled, settledState{at.Region, at.Zone, r.Settled[at]})
	}
	for _, f := range r.Failed {
		state.Failed = append(state.Failed, failedState{f.Template, f.Node, int64(f.After / time.Second)})
	}
	for naming, next := range r.Former {
		state.Former = append(state.Former, formerState{naming.Cluster, naming.Pattern, next})
	}
	slices.SortFunc(state.Former, func(a, b formerState) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Pattern, b.Pattern))
	})
	for _, at := range slices.SortedFunc(maps.Keys(m.looked), placement.Place.Compare) {
		state.Looked = append(state.Looked, placeState{at.Region, at.Zone, m.looked[at]})
	}
	for _, at := range slices.SortedFunc(maps.Keys(m.seen.Full), placement.Place.Compare) {
		state.Full = append(state.Full, fullState{at.Region, at.Zone, m.seen.Full[at]})
	}
	private.Store(ctx, into, seenKey, state, diags)
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// lookAt remembers which listed places take nodes now, as a look-up found them.
// Places that do not exist are left out: a plan looks again, and says so.
func (m *memory) lookAt(looked []placement.Region, findings []cluster.Finding) {
	m.looked = map[placement.Place]string{}
	unknown := map[placement.Place]bool{}
	for _, f := range findings {
		unknown[placement.Place{Region: f.Region, Zone: f.Zone}] = f.Kind.Unknown()
	}
	for _, r := range looked {
		if at := (placement.Place{Region: r.Name}); !unknown[at] {
			m.looked[at] = r.Why
		}
		for _, z := range r.Zones {
			if at := (placement.Place{Region: r.Name, Zone: z.Name}); !unknown[at] && !r.Closed && !r.Maintenance {
				m.looked[at] = z.Why
			}
		}
	}
}

// recall is the region as the last refresh found it: closed, or with closed zones.
// It reports false where the refresh did not look at all of it.
func (m memory) recall(region placement.Region) (placement.Region, []cluster.Finding, bool) {
	why, looked := m.looked[placement.Place{Region: region.Name}]
	if !looked {
		return region, nil, false
	}
	region.Closed, region.Why = why != "", why
	switch {
	case region.Maintenance:
		return region, nil, true
	case region.Closed:
		return region, []cluster.Finding{{Kind: cluster.NoCompute, Region: region.Name}}, true
	}
	var findings []cluster.Finding
	zones := slices.Clone(region.Zones)
	for i, z := range zones {
		why, looked := m.looked[placement.Place{Region: region.Name, Zone: z.Name}]
		if !looked {
			return region, nil, false
		}
		zones[i].Closed, zones[i].Why = why != "", why
		if zones[i].Closed && !z.Maintenance {
			findings = append(
				findings,
				cluster.Finding{Kind: cluster.ZoneUnavailable, Region: region.Name, Zone: z.Name},
			)
		}
	}
	region.Zones = zones
	return region, findings, true
}
