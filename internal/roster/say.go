package roster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// speech says what a plan decided.
type speech struct {
	*planning
	seen     Seen
	reverted *Reverted // what happens for a template that failed; nil: none did
	texts    differences
	waiting  *wait // what the next batch waits for; nil: not worked out yet

	absentees []absentee
}

// about is what is said about a plan. It gives their reasons to the verdicts.
func about(p *planning, seen Seen) *speech {
	s := &speech{planning: p, seen: seen, texts: differences{}}
	s.reverted = s.revert()
	s.absentees = s.absent()
	s.giveReasons()
	return s
}

// why says why a node is not in service; "" for one that is.
func why(f *fact) string {
	s := f.server
	switch {
	case f.is == Serving:
		return ""
	case f.missing:
		return "no server of its name was found"
	case !f.looked:
		return "no refresh has looked at it since it changed"
	case s.Status == "ERROR" && s.Fault != "":
		return fmt.Sprintf("its server is in ERROR (%s)", clip(s.Fault))
	case s.Deleting:
		return "its server is being deleted"
	case !runs(s):
		return "its server is in " + s.Status
	case s.Drained:
		return "its server was drained"
	case s.Unwell != "":
		return fmt.Sprintf("its service is unhealthy (%s)", clip(s.Unwell))
	case f.former:
		return isFormer
	case f.lags:
		return "its server is still what it was before the node changed"
	case f.is == Late:
		return "a wait for it ended before it was in service"
	case s.InService == "":
		return "it is not marked as in service"
	}
	return fmt.Sprintf("it is marked as in service with %s, not %s", clip(s.InService), f.Mark)
}

const isFormer = "its server should have been made again, and is still the former one"

// illness says why the server of a node should be replaced.
func illness(f *fact) string {
	if f.is != Failing && f.is != Broken && f.server.Tainted {
		return "it is marked as tainted"
	}
	return why(f)
}

// reasonOf says why a node should be replaced.
func (p *speech) reasonOf(w want) string {
	switch {
	case w.what == givenUp:
		return fmt.Sprintf("%s, and so was the node before it; %s comes back", why(w.fact), w.back)
	case w.what == revised && w.back != "":
		return fmt.Sprintf("%s; it never served, and %s comes back", p.texts.of(w.Template, w.to), w.back)
	case w.cause == Outdated && w.fresh():
		return p.texts.of(w.Template, w.to) + "; it never served"
	case w.cause == Unhealthy:
		return illness(w.fact)
	case w.cause == Outdated:
		return p.texts.of(w.Template, w.to)
	case w.cause == TooOld:
		return "its server was launched on " + w.aged.UTC().Format(time.DateOnly)
	case w.cause == Misplaced:
		return cmp.Or(w.beyond, w.better.String()+" is a better place")
	}
	return "named in candidates"
}

// sentence says of a node that is held why it should be replaced, and what holds it.
func (p *speech) sentence(v Verdict) string {
	if v.want.what == nothing {
		return p.whyHeld(v)
	}
	reason := p.reasonOf(v.want)
	if v.Cause == "" {
		return fmt.Sprintf("%s in %s; %s", reason, v.Place, p.whyHeld(v))
	}
	return fmt.Sprintf("%s in %s: %s; %s", v.Cause, v.Place, reason, p.whyHeld(v))
}

// each lists nodes with something about each: "web-1 (RegionOne/az-1 is closed)".
func each(list Verdicts, about func(Verdict) string) string {
	var names []string
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, about(v)))
	}
	return text.Few(names)
}

// unseen says why it is not known what a node does.
func unseen(v Verdict) string {
	if v.want.looked {
		return "Nova does not know the state of its server now (UNKNOWN)"
	}
	return "no refresh has looked at it since it changed"
}

// twice says what failed twice at a node.
func twice(v Verdict) string {
	if v.Cause == Outdated {
		return "two servers of that template ended in ERROR in its place"
	}
	return "it did not last, nor did the one before it"
}

// illProtected names a protected node that is unhealthy; "" without one.
func illProtected(list Verdicts) string {
	for _, v := range list {
		if v.Cause == Unhealthy {
			return fmt.Sprintf("held: %s is unhealthy and %s", v.Name, v.want.protected)
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
	if p.taken < p.size {
		return "others are replaced first"
	}
	return fmt.Sprintf("the batch is full (%d at a time)", p.size)
}

// outage says how many nodes are unhealthy, or not known.
func (p *speech) outage() string {
	u := p.policy.Update
	if p.policy.stops(p.sick) || u == nil {
		return fmt.Sprintf("%d of %s are unhealthy, more than stop_above (%s) allows", p.sick, text.Nodes(p.total), u.StopAbove)
	}
	return fmt.Sprintf("%d of %s are unhealthy or nothing is known of them, more than stop_above (%s) allows",
		p.sick+p.unknown, text.Nodes(p.total), u.StopAbove)
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

// clip shortens a text of Nova's.
func clip(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	return text
}

// differs says in which values a template differs from a wanted one: "image a, new
// nodes get b".
func differs(t, wanted Template) string {
	has, wants := t.Values(), wanted.Values()
	keys := maps.Clone(has)
	maps.Copy(keys, wants)
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, was := has[key]
		now, is := wants[key]
		switch {
		case was && is && old != now:
			parts = append(parts, fmt.Sprintf("%s %s, new nodes get %s", clip(key), shown(old), shown(now)))
		case was && !is:
			parts = append(parts, fmt.Sprintf("%s %s, new nodes have none", clip(key), shown(old)))
		case is && !was:
			parts = append(parts, fmt.Sprintf("no %s, new nodes get %s", clip(key), shown(now)))
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], fmt.Sprintf("%d more values differ", len(parts)-3))
	}
	return "it has " + strings.Join(parts, "; ")
}

// differences has what differs, worked out once for each pair of templates: many
// nodes share one, which may be large.
type differences map[[2]Template]string

func (d differences) of(has, wanted Template) string {
	pair := [2]Template{has, wanted}
	if _, known := d[pair]; !known {
		d[pair] = differs(has, wanted)
	}
	return d[pair]
}

// shown is a value as a text shows it.
func shown(value string) string {
	if value == "" {
		return "(empty)"
	}
	return clip(value)
}
