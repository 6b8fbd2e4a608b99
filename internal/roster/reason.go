package roster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// departure is why a node is removed or revised.
type departure struct {
	cause  Cause  // of the update; "": none
	why    string // why this node
	place  bool   // whether its place was chosen by placement
	beyond string // why its place comes first, "" where that is only its share
}

// beyond says why removals take from a place before all others.
func beyond(bin placement.Bin) string {
	switch {
	case bin.Weight == 0:
		return "it is not listed"
	case bin.AboveCap() > 0:
		return fmt.Sprintf("it is above its cap of %d", bin.Cap)
	}
	return ""
}

// reason is the sentence about a node that is removed or revised, such as
// "RegionOne/az-1 loses 1 of 3; oldest unprotected, created 2026-03-01; web-0 is
// locked".
func (p *planner) reason(name string) string {
	d, at := p.left[name], p.now.Nodes[name].Place
	if d.cause != "" {
		return fmt.Sprintf("replaced (%s) in %s: %s", d.cause, at, d.why)
	}
	parts := []string{d.why}
	if d.place {
		lost, had, kept := p.losses(at)
		text := fmt.Sprintf("%s loses %d of %d", at, lost, had)
		if d.beyond != "" {
			text += ": " + d.beyond
		}
		parts = append([]string{text, d.why}, kept...)
	}
	return strings.Join(parts, "; ")
}

// losses counts the nodes that a place loses without a substitute, of those that
// it had, and names its protected nodes.
func (p *planner) losses(at Place) (lost, had int, kept []string) {
	if p.lost == nil {
		p.lost = map[Place]*loss{}
		for _, name := range p.now.Names() {
			place := p.now.Nodes[name].Place
			l := p.lost[place]
			if l == nil {
				l = &loss{}
				p.lost[place] = l
			}
			l.had++
			if p.left[name].place {
				l.lost++
			}
			if why := p.protected[name]; why != "" {
				l.kept = append(l.kept, name+" "+why)
			}
		}
	}
	l := p.lost[at]
	kept = l.kept
	if len(kept) > 3 {
		kept = append(slices.Clone(kept[:3]), fmt.Sprintf("%d more are protected", len(l.kept)-3))
	}
	return l.lost, l.had, kept
}

type loss struct {
	had, lost int
	kept      []string
}

// choice says why a node is the first to leave its place.
func (p *planner) choice(name string) string {
	server := p.seen.Servers[name]
	switch {
	case p.useless(name):
		return "not in service: " + p.trouble(name)
	case server.Tainted:
		return "marked as tainted"
	case server.Status == "UNKNOWN":
		return "its status is UNKNOWN"
	case !p.seen.looked(name):
		return "made by the last apply and not looked at since"
	}
	switch p.policy.Criteria {
	case deletion.OldestFirst:
		return "oldest unprotected, created " + p.moment(name, "at an unknown time")
	case deletion.YoungestFirst:
		return "youngest unprotected, created " + p.moment(name, "at an unknown time")
	case deletion.OldestProfileFirst:
		if p.policy.Template != nil {
			return fmt.Sprintf("oldest revision (%d)", p.now.Nodes[name].Revision)
		}
		return "oldest profile, of " + p.moment(name, "an unknown age")
	}
	return "drawn by lot from the unprotected (RANDOM)"
}

// made is the time by which a node's turn is decided.
func (p *planner) made(name string) time.Time {
	if p.policy.Criteria == deletion.OldestProfileFirst {
		return p.seen.Servers[name].ProfileCreatedAt.UTC()
	}
	return p.seen.Servers[name].CreatedAt.UTC()
}

// moment is when a node was made: the day and, where that is the day of another
// node of its place too, the time.
func (p *planner) moment(name, unknown string) string {
	made := p.made(name)
	if made.IsZero() {
		return unknown
	}
	if p.days == nil {
		p.days = map[day]int{}
		for name, n := range p.now.Nodes {
			p.days[day{n.Place, p.made(name).Format(time.DateOnly)}]++
		}
	}
	if d := made.Format(time.DateOnly); p.days[day{p.now.Nodes[name].Place, d}] == 1 {
		return d
	}
	return made.Format("2006-01-02 at 15:04:05 UTC")
}

// day is one on which nodes of a place were made.
type day struct {
	at   Place
	date string
}
