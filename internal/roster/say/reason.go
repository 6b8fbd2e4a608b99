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
// "RegionOne/az-1 loses 1 of 3; oldest unprotected; web-0 is locked". Nodes to which the same happens share it.
func (p *speech) reasoned() verdict.List {
	list, losses := slices.Clone(p.Verdicts), lossesOf(p.Before())
	for i, decided := range list {
		if decided.Outcome == verdict.Held || decided.Outcome == verdict.Leaves || decided.Outcome == verdict.Changes {
			v := *decided
			v.Reason = p.sentence(&v, losses[v.Place])
			list[i] = &v
		}
	}
	return list
}

// sentence returns why a node leaves or changes, or should be replaced, and what holds it.
func (p *speech) sentence(v *verdict.Verdict, lost *loss) string {
	if v.What == verdict.Nothing {
		return p.whyHeld(v)
	}
	if v.Outcome != verdict.Held && v.What == verdict.Surplus {
		return lost.with(v.Want, turnOf(v.Fact, p.Policy))
	}
	reason := p.reasonOf(v.Want)
	switch held := v.Outcome == verdict.Held; {
	case held && v.Cause != "":
		return fmt.Sprintf("%s: %s; %s", v.Cause, reason, p.whyHeld(v))
	case held:
		return reason + "; " + p.whyHeld(v)
	case v.Cause != "":
		return fmt.Sprintf("replaced (%s): %s", v.Cause, reason)
	}
	return reason
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
func (l loss) with(w verdict.Want, why string) string {
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
	return strings.Join(append([]string{text, why}, l.kept...), "; ")
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
	case policy.Criteria == deletion.OldestProfileFirst && len(policy.Templates) > 0:
		return "made from the oldest template"
	}
	said := map[deletion.Criteria]string{
		deletion.OldestFirst: "oldest unprotected", deletion.YoungestFirst: "youngest unprotected",
		deletion.OldestProfileFirst: "oldest profile", deletion.HighestIndexFirst: "highest index of the unprotected",
	}[policy.Criteria]
	return cmp.Or(said, "drawn by lot from the unprotected (RANDOM)")
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
	"carried": func(_ *speech, list verdict.List) string { return Clip(list[0].Server.InService) },
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
	"differs":  func(p *speech, list verdict.List) string { return p.differs(list[0].Want) },
	"better place": func(_ *speech, list verdict.List) string {
		if why := list[0].WhyLoses; why != "" {
			return strings.Replace(why, "it", list[0].String(), 1)
		}
		return list[0].MoveTo.String() + " is a better place"
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
		own := func(text string) bool { return len(list) == 1 && strings.HasPrefix(text, list[0].Name+" (") }
		if others := slices.DeleteFunc(slices.Clone(p.waiting), own); len(others) > 0 {
			return text.Few(others)
		}
		return "the nodes that this plan changes"
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
