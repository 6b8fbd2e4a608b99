package say

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// reasoned returns the verdicts with a sentence about each node that leaves, changes or is held, such as
// "RegionOne/az-1 loses 1 of 3; oldest unprotected, created 2026-03-01 10:00:00 UTC; web-0 is locked".
func (p *speech) reasoned() verdict.List {
	list, losses := slices.Clone(p.Verdicts), lossesOf(p.Before())
	for i, decided := range list {
		if decided.Outcome != verdict.Held && decided.Outcome != verdict.Leaves && decided.Outcome != verdict.Changes {
			continue
		}
		v := *decided
		list[i] = &v
		if v.Outcome != verdict.Held && v.Cause == "" && v.What == verdict.Surplus {
			v.Reason = strings.Join(losses[v.Place].with(v.Want, turnOf(v.Fact, p.Policy)), "; ")
			v.Shared = strings.Join(losses[v.Place].with(v.Want, turnsOf(v.Fact, p.Policy)), "; ")
			continue
		}
		reason := ""
		if v.Outcome != verdict.Held || v.What != verdict.Nothing {
			reason = p.reasonOf(v.Want)
		}
		at := v.Place
		v.Reason, v.Shared = p.sentence(&v, "in "+at.String(), reason), p.sentence(&v, "", reason)
	}
	return list
}

// sentence returns why a node changes, or should be replaced, and what holds it. The place is "" where it is not said.
func (p *speech) sentence(v *verdict.Verdict, place, reason string) string {
	var parts []string
	held := v.Outcome == verdict.Held
	switch {
	case held && v.Cause != "":
		parts = append(parts, string(v.Cause), place)
	case held && v.What != verdict.Nothing:
		parts, reason = append(parts, reason, place), ""
	case held:
		parts = append(parts, place)
	case v.Cause != "":
		parts = append(parts, fmt.Sprintf("replaced (%s)", v.Cause), place)
	default:
		parts = append(parts, place)
	}
	text := strings.TrimSpace(strings.Join(parts, " "))
	if reason != "" {
		text = strings.TrimPrefix(text+": "+reason, ": ")
	}
	switch {
	case !held:
		return text
	case v.What == verdict.Nothing:
		return strings.TrimPrefix(text+": "+p.whyHeld(v), ": ")
	}
	return text + "; " + p.whyHeld(v)
}

// loss is the number of nodes that a place had, and the number that it loses without a substitute.
type loss struct {
	had, lost int
	kept      []string // protected nodes, each with its reason
}

func lossesOf(before verdict.List) map[placement.Place]*loss {
	losses := map[placement.Place]*loss{}
	for _, f := range before {
		if losses[f.Place] == nil {
			losses[f.Place] = &loss{}
		}
		l := losses[f.Place]
		l.had++
		if !f.Free() {
			l.kept = append(l.kept, f.Name+" "+f.Protected)
		}
		if f.What == verdict.Surplus && f.Outcome == verdict.Leaves {
			l.lost++
		}
	}
	return losses
}

// with says that a place loses a node, why it is the first there, and which nodes are protected.
func (l loss) with(w verdict.Want, why string) []string {
	text := fmt.Sprintf("%s loses %d of %d", w.Place, l.lost, l.had)
	if w.WhyLoses != "" {
		text += ": " + w.WhyLoses
	}
	if w.First {
		why = "outdated, so that the update would replace it: " + why
	}
	if more := len(l.kept) - 3; more > 0 {
		l.kept = append(l.kept[:3:3], fmt.Sprintf("%d more are protected", more))
	}
	return append([]string{text, why}, l.kept...)
}

// turnOf returns why a node leaves before the others of its place.
func turnOf(f *facts.Fact, policy roster.Policy) string {
	switch {
	case !f.Looked:
		return "made by the last apply and not looked at since"
	case f.Is != facts.Serving:
		return "not in service: " + Why(f)
	case f.Server.Tainted:
		return "marked as tainted"
	}
	said := turnsOf(f, policy)
	switch policy.Criteria {
	case deletion.OldestFirst, deletion.YoungestFirst:
		return said + ", created " + moment(f.Server.CreatedAt, "at an unknown time")
	case deletion.OldestProfileFirst:
		if len(policy.Templates) == 0 {
			return said + ", of " + moment(f.Server.ProfileCreatedAt, "an unknown age")
		}
	case deletion.HighestIndexFirst:
		return fmt.Sprintf("%s, %d", said, f.Index)
	}
	return said
}

// turnsOf is turnOf for all nodes of a place that leave for the same reason.
func turnsOf(f *facts.Fact, policy roster.Policy) string {
	switch {
	case !f.Looked || f.Is != facts.Serving || f.Server.Tainted:
		return turnOf(f, policy)
	case policy.Criteria == deletion.OldestProfileFirst && len(policy.Templates) > 0:
		return "made from the oldest template"
	}
	said := map[deletion.Criteria]string{
		deletion.OldestFirst: "oldest unprotected", deletion.YoungestFirst: "youngest unprotected",
		deletion.OldestProfileFirst: "oldest profile", deletion.HighestIndexFirst: "highest index of the unprotected",
	}[policy.Criteria]
	return cmp.Or(said, "drawn by lot from the unprotected (RANDOM)")
}

// moment returns when something was made.
func moment(made time.Time, unknown string) string {
	if made.IsZero() {
		return unknown
	}
	return made.UTC().Format(time.DateTime) + " UTC"
}

// words fill the braces in the sentences about nodes with the same hold. A sentence about one
// node has only that node in the list.
var words = map[string]func(p *speech, list verdict.List) string{
	"count":     func(_ *speech, list verdict.List) string { return text.Nodes(int64(len(list))) },
	"remaining": func(p *speech, _ verdict.List) string { return text.Nodes(p.Remaining) },
	"nodes":     func(p *speech, list verdict.List) string { return p.few(list.Names()) },
	"nodes with places": func(p *speech, list verdict.List) string {
		return p.few(each(list, (*verdict.Verdict).String))
	},
	"protected": func(_ *speech, list verdict.List) string { return list[0].Protected },
	"protections": func(p *speech, list verdict.List) string {
		if i := slices.IndexFunc(list, func(v *verdict.Verdict) bool { return v.Row().Repairs }); i >= 0 {
			return fmt.Sprintf("%s is unhealthy and %s", list[i].Name, list[i].Protected)
		}
		return p.few(protections(list))
	},
	"kept":        func(p *speech, _ verdict.List) string { return text.Nodes(int64(len(p.Kept()))) },
	"who is kept": func(p *speech, _ verdict.List) string { return text.Few(protections(p.Kept())) },
	"carried":     func(_ *speech, list verdict.List) string { return Clip(list[0].Server.InService) },
	"loose": func(_ *speech, list verdict.List) string {
		return cmp.Or(list[0].MissingWire, list[0].MissingLine)
	},
	"place": func(_ *speech, list verdict.List) string { return list[0].String() },
	"shut":  func(_ *speech, list verdict.List) string { return list[0].Why },
	"unseen": func(_ *speech, list verdict.List) string {
		if list[0].Looked {
			return "Nova does not know the current state of its server (UNKNOWN)"
		}
		return "no refresh has looked at it since it changed"
	},
	"outage": func(p *speech, _ verdict.List) string {
		ill, are := p.Sick, "unhealthy"
		if !p.Policy.Stops(ill) {
			ill, are = p.Sick+p.Unknown, "unhealthy or not known to be healthy"
		}
		return fmt.Sprintf("%d of %s are %s, more than stop_above (%s) allows", ill, text.Nodes(p.Total), are,
			p.Policy.Update.StopAbove)
	},
	"template": func(p *speech, _ verdict.List) string { return p.template() },
	"illness":  func(_ *speech, list verdict.List) string { return illness(list[0].Fact) },
	"differs": func(p *speech, list verdict.List) string {
		text := p.differs(list[0].Want)
		if list[0].Is.Fresh {
			text += "; it never served"
		}
		return text
	},
	"better place": func(_ *speech, list verdict.List) string {
		return cmp.Or(list[0].WhyLoses, list[0].MoveTo.String()+" is a better place")
	},
	"flavor": func(_ *speech, list verdict.List) string {
		return cmp.Or(list[0].Flavor, "no flavor of the list")
	},
	"earlier flavor": func(_ *speech, list verdict.List) string { return list[0].Earlier },
	"launched":       func(_ *speech, list verdict.List) string { return list[0].Aged.UTC().Format(time.DateOnly) },
	"target":         func(p *speech, _ verdict.List) string { return p.Policy.Update.Target.String() },
	"room":           func(_ *speech, list verdict.List) string { return detail(list[0].Err) },
	"beyond":         func(p *speech, _ verdict.List) string { return text.Count(p.Beyond, "server") },
	"baking":         func(p *speech, _ verdict.List) string { return p.few(p.Baking()) },
	"waited for": func(p *speech, list verdict.List) string {
		own := func(text string) bool { return strings.HasPrefix(text, list[0].Name+" (") }
		if others := slices.DeleteFunc(slices.Clone(p.waiting), own); len(others) > 0 {
			return text.Few(others)
		}
		return "the nodes that this plan changes"
	},
	"batch": func(p *speech, _ verdict.List) string {
		if p.Taken < p.Size {
			return "others are replaced first"
		}
		return fmt.Sprintf("the batch is full (%d at a time)", p.Size)
	},
}

var brace = regexp.MustCompile(`\{[^}]*\}`)

// fill replaces the words in braces in a sentence about nodes.
func (p *speech) fill(sentence string, list ...*verdict.Verdict) string {
	return brace.ReplaceAllStringFunc(sentence, func(word string) string {
		if word == "{nodes with why}" {
			return p.few(each(list, p.whyHeld))
		}
		return words[word[1:len(word)-1]](p, list)
	})
}

// protections lists protected nodes, each with its reason: "web-0 is locked".
func protections(list verdict.List) (texts []string) {
	for _, v := range list {
		texts = append(texts, v.Name+" "+v.Protected)
	}
	return texts
}

// whyHeld returns what holds a node.
func (p *speech) whyHeld(v *verdict.Verdict) string { return p.fill(v.Hold.Why, v) }
