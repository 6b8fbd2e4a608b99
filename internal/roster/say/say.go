// Package say makes all sentences about a plan, from what was decided: reasons, notices, the
// status of the cluster. Nothing is decided by a sentence.
package say

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/decide"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// speech says what a plan decided.
type speech struct {
	*decide.Planning
	seen     roster.Seen
	Reverted *Reverted // what happens for a template that failed; nil: none did
	texts    differences
	waiting  *wait // what the next batch waits for; nil: not worked out yet

	Absentees []absentee
}

// About is what is said about a plan. It gives their reasons to the verdicts.
func About(p *decide.Planning, seen roster.Seen) *speech {
	s := &speech{Planning: p, seen: seen, texts: differences{}}
	s.Reverted = s.revert()
	s.Absentees = s.absent()
	s.giveReasons()
	return s
}

// Why says why a node is not in service; "" for one that is.
func Why(f *facts.Fact) string {
	s := f.Server
	switch {
	case f.Is == facts.Serving:
		return ""
	case f.Missing:
		return "no server of its name was found"
	case !f.Looked:
		return "no refresh has looked at it since it changed"
	case !facts.Runs(s):
		return "its server is " + doing(s)
	case s.Drained:
		return "its server was drained"
	case s.Unwell != "":
		return fmt.Sprintf("its service is unhealthy (%s)", Clip(s.Unwell))
	case f.Former:
		return hold.IsFormer
	case f.Lags:
		return "its server is still what it was before the node changed"
	case f.Is == facts.Late:
		return "a wait for it ended before it was in service"
	case s.InService == "":
		return "it is not marked as in service"
	}
	return fmt.Sprintf("it is marked as in service with %s, not %s", Clip(s.InService), f.Mark)
}

// doing says what a server does that does not run.
func doing(s node.Node) string {
	switch {
	case s.Status == "ERROR" && s.Fault != "":
		return fmt.Sprintf("in ERROR (%s)", Clip(s.Fault))
	case s.Deleting:
		return "being deleted"
	}
	return "in " + s.Status
}

// illness says why the server of a node should be replaced.
func illness(f *facts.Fact) string {
	if f.Is != facts.Failing && f.Is != facts.Broken && f.Server.Tainted {
		return "it is marked as tainted"
	}
	return Why(f)
}

// reasonOf says why a node should be replaced.
func (p *speech) reasonOf(w decide.Want) string {
	switch {
	case w.What == decide.GivenUp:
		return fmt.Sprintf("%s, and so was the node before it; %s comes back", Why(w.Fact), w.Back)
	case w.What == decide.Revised && w.Back != "":
		return fmt.Sprintf("%s; it never served, and %s comes back", p.texts.of(w.Template, w.To), w.Back)
	case w.Cause == roster.Outdated && w.Fresh():
		return p.texts.of(w.Template, w.To) + "; it never served"
	case w.Cause == roster.Unhealthy:
		return illness(w.Fact)
	case w.Cause == roster.Outdated:
		return p.texts.of(w.Template, w.To)
	case w.Cause == roster.TooOld:
		return "its server was launched on " + w.Aged.UTC().Format(time.DateOnly)
	case w.Cause == roster.Misplaced:
		return cmp.Or(w.Beyond, w.Better.String()+" is a better place")
	}
	return "named in candidates"
}

// sentence says of a node that is held why it should be replaced, and what holds it.
func (p *speech) sentence(v decide.Verdict) string {
	if v.Want.What == decide.Nothing {
		return p.whyHeld(v)
	}
	reason := p.reasonOf(v.Want)
	if v.Cause == "" {
		return fmt.Sprintf("%s in %s; %s", reason, v.Place, p.whyHeld(v))
	}
	return fmt.Sprintf("%s in %s: %s; %s", v.Cause, v.Place, reason, p.whyHeld(v))
}

// each lists nodes with something about each: "web-1 (RegionOne/az-1 is closed)".
func each(list decide.Verdicts, about func(decide.Verdict) string) string {
	var names []string
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, about(v)))
	}
	return text.Few(names)
}

// unseen says why it is not known what a node does.
func unseen(v decide.Verdict) string {
	if v.Want.Looked {
		return "Nova does not know the state of its server now (UNKNOWN)"
	}
	return "no refresh has looked at it since it changed"
}

// twice says what failed twice at a node.
func twice(v decide.Verdict) string {
	if v.Cause == roster.Outdated {
		return "two servers of that template ended in ERROR in its place"
	}
	return "it did not last, nor did the one before it"
}

// illProtected names a protected node that is unhealthy; "" without one.
func illProtected(list decide.Verdicts) string {
	for _, v := range list {
		if v.Cause == roster.Unhealthy {
			return fmt.Sprintf("held: %s is unhealthy and %s", v.Name, v.Want.Protected)
		}
	}
	return ""
}

// waitedFor lists what the batch waits for, without a node.
func (p *speech) waitedFor(name string) string {
	if p.waiting == nil { // it is the same for all nodes
		w := p.waits(1)
		p.waiting = &w
	}
	if names := p.waiting.without(name); len(names) > 0 {
		return text.Few(names)
	}
	return "what this plan changes"
}

// fullBatch says why it is not the turn of a node.
func (p *speech) fullBatch() string {
	if p.Taken < p.Size {
		return "others are replaced first"
	}
	return fmt.Sprintf("the batch is full (%d at a time)", p.Size)
}

// outage says how many nodes are unhealthy, or not known.
func (p *speech) outage() string {
	u := p.Policy.Update
	if p.Policy.Stops(p.Sick) || u == nil {
		return fmt.Sprintf("%d of %s are unhealthy, more than stop_above (%s) allows", p.Sick, text.Nodes(p.Total),
			u.StopAbove)
	}
	return fmt.Sprintf("%d of %s are unhealthy or nothing is known of them, more than stop_above (%s) allows",
		p.Sick+p.Unknown, text.Nodes(p.Total), u.StopAbove)
}

// where says of a place why it takes no nodes.
func where(at placement.Place, why string) string { return fmt.Sprintf("%s %s", at, why) }

// detail returns what a sentence says about an error.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}

// Clip shortens a text of Nova's.
func Clip(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	return text
}

// Differs says in which values a template differs from a wanted one: "image a, new
// nodes get b".
func Differs(t, wanted roster.Template) string {
	has, wants := t.Values(), wanted.Values()
	keys := maps.Clone(has)
	maps.Copy(keys, wants)
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, was := has[key]
		now, is := wants[key]
		switch {
		case was && is && old != now:
			parts = append(parts, fmt.Sprintf("%s %s, new nodes get %s", Clip(key), shown(old), shown(now)))
		case was && !is:
			parts = append(parts, fmt.Sprintf("%s %s, new nodes have none", Clip(key), shown(old)))
		case is && !was:
			parts = append(parts, fmt.Sprintf("no %s, new nodes get %s", Clip(key), shown(now)))
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], fmt.Sprintf("%d more values differ", len(parts)-3))
	}
	return "it has " + strings.Join(parts, "; ")
}

// differences has what differs, worked out once for each pair of templates: many
// nodes share one, which may be large.
type differences map[[2]roster.Template]string

func (d differences) of(has, wanted roster.Template) string {
	pair := [2]roster.Template{has, wanted}
	if _, known := d[pair]; !known {
		d[pair] = Differs(has, wanted)
	}
	return d[pair]
}

// shown is a value as a text shows it.
func shown(value string) string {
	if value == "" {
		return "(empty)"
	}
	return Clip(value)
}
