package placementtf

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// What a refresh saw of the servers is kept in the private state: there it costs
// Terraform nothing, while an attribute would double or triple the cost of every
// plan of a large cluster. Only what decides is kept, because a private state
// that changed raises the state's serial and makes saved plans stale.

const seenKey = "seen"

// seenState is the private state, as JSON. Its maps and lists are sorted.
type seenState struct {
	Servers map[string]serverState `json:"servers,omitempty"` // by the name of the node
	Missing []string               `json:"missing,omitempty"` // looked for, and not there
	Zones   map[string]string      `json:"zones,omitempty"`   // of nodes whose server is in none for now
}

type serverState struct {
	ID             string     `json:"id"`
	Status         string     `json:"status,omitempty"` // ERROR, BUILD or UNKNOWN
	Fault          string     `json:"fault,omitempty"`
	Created        *time.Time `json:"created,omitempty"`
	ProfileCreated *time.Time `json:"profile_created,omitempty"`
	Tainted        bool       `json:"tainted,omitempty"`
	Protected      bool       `json:"protected,omitempty"`
	Locked         bool       `json:"locked,omitempty"`
	InService      string     `json:"in_service,omitempty"` // its mark
	Zone           string     `json:"zone,omitempty"`       // where the node has none, until its region lists zones
}

// loadSeen reads what the last refresh saw, and the zones of nodes that have
// none for now.
func loadSeen(ctx context.Context, from private.Reader, diags *diag.Diagnostics) (roster.Seen, map[string]string) {
	state := private.Load[seenState](ctx, from, seenKey, diags)
	seen := roster.Seen{Servers: make(map[string]node.Node, len(state.Servers)), Missing: make(map[string]bool, len(state.Missing))}
	for name, s := range state.Servers {
		seen.Servers[name] = node.Node{ID: s.ID, Name: name, Status: s.Status, Fault: s.Fault, CreatedAt: timeOf(s.Created), ProfileCreatedAt: timeOf(s.ProfileCreated),
			Tainted: s.Tainted, Protected: s.Protected, Locked: s.Locked, InService: s.InService, Zone: s.Zone}
	}
	for _, name := range state.Missing {
		seen.Missing[name] = true
	}
	return seen, state.Zones
}

// storeSeen writes what a refresh saw, unless that is what was there.
func storeSeen(ctx context.Context, into private.Writer, r roster.Roster, seen roster.Seen, diags *diag.Diagnostics) {
	state := seenState{Servers: make(map[string]serverState, len(seen.Servers)), Zones: map[string]string{}}
	for name, s := range seen.Servers {
		kept := serverState{ID: s.ID, Created: timeOrNil(s.CreatedAt), ProfileCreated: timeOrNil(s.ProfileCreatedAt),
			Tainted: s.Tainted, Protected: s.Protected, Locked: s.Locked, InService: s.InService}
		switch s.Status {
		case "ERROR":
			kept.Status, kept.Fault = s.Status, s.Fault
		case "BUILD", "UNKNOWN":
			kept.Status = s.Status
		}
		if r.Nodes[name].Zone == "" {
			kept.Zone = s.Zone
		}
		state.Servers[name] = kept
	}
	for name := range seen.Missing {
		state.Missing = append(state.Missing, name)
	}
	slices.Sort(state.Missing)
	for name, n := range r.Nodes {
		if n.Unplaced && n.Zone != "" {
			state.Zones[name] = n.Zone
		}
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
