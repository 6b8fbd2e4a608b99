package say

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

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
	"twice": func(_ *speech, list verdict.List) string {
		if list[0].Row().Updates {
			return "two servers of that template ended in ERROR in its place"
		}
		return "two servers in a row failed"
	},
	"illness": func(_ *speech, list verdict.List) string { return illness(list[0].Fact) },
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
	"method":         func(p *speech, _ verdict.List) string { return fmt.Sprintf("%q", p.Policy.Update.Method) },
	"room":           func(_ *speech, list verdict.List) string { return detail(list[0].Err) },
	"beyond":         func(p *speech, _ verdict.List) string { return text.Count(p.Beyond, "server") },
	"baking":         func(p *speech, _ verdict.List) string { return p.few(p.Baking()) },
	"waited for": func(p *speech, list verdict.List) string {
		others := p.waitedOn
		if i := slices.IndexFunc(p.waiting, func(o obstacle) bool { return o.name == list[0].Name }); i >= 0 {
			others = slices.Delete(slices.Clone(others), i, i+1)
		}
		if len(others) == 0 {
			return "the nodes that this plan changes"
		}
		return text.Few(others)
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
