// Package say makes all sentences about a plan: reasons, notices, and the status of the cluster. It decides nothing.
package say

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Change is the result of a plan: a verdict for each node, by index, and what follows from them.
type Change struct {
	verdict.List
	Free      int64         // number of servers that Terraform may make beside those of the plan
	Failed    []string      // servers that failed, each with its id
	Remaining int64         // number of nodes that should still be replaced after this plan
	Notices   []Notice      // notices for a person
	Status    status.Status // status of the cluster after the plan is applied without an error
	Now       status.Status // status of the cluster before the plan
	Blocked   verdict.List  // held nodes that the policy wants replaced, and nodes in ERROR that no cause replaces
	// nodes that are not in service, or are leaving and still run, and that the plan does not change; names of strays
	Absent []string
	Arrive []string // absent nodes that an apply without an error brings into service, or removes
	Awaits []string // nodes of Arrive, if the cluster shows that its applies do so
}

// speech makes the sentences about a plan.
type speech struct {
	verdict.Plan
	seen    roster.Seen
	most    int // maximum number of names in a list; 0 for 5
	texts   differences
	waiting []string // nodes that the next batch waits for, each with the reason
}

// About returns a plan with its sentences. Its verdicts have their reasons.
func About(plan verdict.Plan, seen roster.Seen) Change {
	p := &speech{Plan: plan, seen: seen, texts: differences{}}
	p.waits()
	c := Change{
		List:      p.reasoned(),
		Free:      p.Free,
		Failed:    p.Failed,
		Remaining: p.Remaining,
		Notices:   p.notices(),
		Now:       p.status(),
	}
	c.Blocked = c.Filter(func(v *verdict.Verdict) bool {
		return v.Outcome == verdict.Held && v.Hold != hold.Target
	})
	for _, v := range plan.Unrepaired() {
		said := *v
		said.Reason = unrepaired(v)
		c.Blocked = append(c.Blocked, &said)
	}
	for _, s := range plan.Strays {
		why := fmt.Sprintf("no node has this server in %s, and no apply removes it: delete it, or import it", s.Region)
		stray := facts.Fact{Name: fmt.Sprintf("%s (%s)", s.Name, s.ID)}
		c.Blocked = append(c.Blocked, &verdict.Verdict{Want: verdict.Want{Fact: &stray}, Reason: why})
		if slices.Contains(plan.Policy.Awaited, s.Name) { // an apply that ended well left it
			c.Absent = append(c.Absent, s.Name)
		}
	}
	for _, a := range plan.Absent() {
		c.Absent = append(c.Absent, a.Name)
		if a.Pending {
			c.Arrive = append(c.Arrive, a.Name)
		}
		if a.Pending && a.Evident {
			c.Awaits = append(c.Awaits, a.Name)
		}
	}
	return c
}

// Status returns the status of a cluster before a plan.
func Status(plan verdict.Plan) status.Status { return (&speech{Plan: plan}).status() }

// absence returns why a node is absent.
func absence(a verdict.Absence) string {
	if a.Fact == nil {
		return "it leaves, and its server still exists"
	}
	return Why(a.Fact)
}

// Why returns why a node is not in service, or "" for a node in service.
func Why(f *facts.Fact) string {
	s := f.Server
	switch {
	case f.Is == facts.Serving:
		return ""
	case f.Missing:
		return "no server of its name was found"
	case !f.Looked:
		return "no refresh has looked at it since it changed"
	case !f.Runs():
		return "its server is " + doing(s)
	case s.Drained:
		return "its server was drained"
	case s.Draining:
		return "its drain has begun, and its hook is not done"
	case s.Unwell != "":
		return fmt.Sprintf("its service is unhealthy (%s)", Clip(s.Unwell))
	case s.Lacks():
		return "its server has lost " + lost(s)
	case f.NotRemade:
		return hold.NotRemade.Why
	case f.Lags:
		return "its server did not change with the node"
	case f.Is == facts.Late:
		return "a wait for it ended before it was in service"
	case s.InService == "":
		return "it is not marked as in service"
	}
	return fmt.Sprintf("it is marked as in service with %s, not %s", Clip(s.InService), f.Mark)
}

// lost says what a server has no more.
func lost(s node.Node) string {
	ports, volumes := text.Count(int64(s.LostPorts), "port"), text.Count(int64(s.LostVolumes), "volume")
	switch {
	case s.LostVolumes == 0:
		return ports
	case s.LostPorts == 0:
		return volumes
	}
	return ports + " and " + volumes
}

// doing returns the state of a server that does not run.
func doing(s node.Node) string {
	switch {
	case s.Status == "ERROR" && s.Fault != "":
		return fmt.Sprintf("in ERROR (%s)", Clip(s.Fault))
	case s.Deleting:
		return "being deleted"
	}
	return "in " + s.Status
}

// illness returns why an unhealthy node should be replaced.
func illness(f *facts.Fact) string {
	if f.Is != facts.Failing && f.Is != facts.Broken && f.Server.Tainted {
		return "it is marked as tainted"
	}
	if f.Outlived {
		return "it was to be made again, and its new server failed"
	}
	if f.Lost {
		return "nobody ever waited for its server: the answer to its creation may have been lost"
	}
	if f.NoHost && f.Flavor != "" {
		return Why(f) + "; it asked for " + roster.Spot{Place: f.Asked, Flavor: f.Flavor}.String()
	}
	return Why(f)
}

// reasonOf returns why a node should be replaced.
func (p *speech) reasonOf(w verdict.Want) string {
	switch gets := w.What == verdict.Revised || w.What == verdict.GivenUp; {
	case w.What == verdict.TakenBack:
		return "its change was not carried out, and is taken back while others are out of service: " +
			p.texts.of(w.Template, w.To)
	case gets && w.PassedOver:
		spot := roster.Spot{Place: w.Asked, Flavor: w.Flavor}
		return "it never had a server: " + spot.String() + " is full"
	case gets && !w.Row().Repairs:
		return p.differs(w)
	}
	return p.fill(w.Row().Reason, &verdict.Verdict{Want: w})
}

// differs returns what a node has, and what is wanted instead.
func (p *speech) differs(w verdict.Want) string {
	change := p.texts.of(w.Template, w.To)
	if w.Template == w.To {
		change = fmt.Sprintf("it has %s, which is not listed", cmp.Or(w.Flavor, w.FlavorID, "no flavor"))
	}
	switch {
	case w.Unfound:
		return change + "; it never had a server"
	case w.Is.Fresh:
		return change + "; it never served"
	}
	return change
}

// few lists the first texts, and says how many more there are.
func (p *speech) few(list []string) string { return text.First(list, cmp.Or(p.most, 5)) }

// each lists nodes, each with a text about it: "web-1 (RegionOne/az-1 is closed)".
func each(list verdict.List, about func(*verdict.Verdict) string) (names []string) {
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, about(v)))
	}
	return names
}

// detail returns the text of an error for a sentence.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}

// Clip shortens a text from Nova to 80 characters.
func Clip(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "..."
	}
	return text
}

// Differs returns the values in which a template differs from a wanted one: "it has image a, new nodes get b".
func Differs(t, wanted roster.Template) string {
	has, wants := t.Values(), wanted.Values()
	keys := maps.Clone(has)
	maps.Copy(keys, wants)
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, was := has[key]
		now, is := wants[key]
		switch {
		case key == roster.KeyImageID && has[roster.KeyImage] != wants[roster.KeyImage]: // the name is enough
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

// differences has the result of [Differs] for each pair of templates, because many nodes share a
// template, which may be large.
type differences map[[2]roster.Template]string

func (d differences) of(has, wanted roster.Template) string {
	pair := [2]roster.Template{has, wanted}
	if _, known := d[pair]; !known {
		d[pair] = Differs(has, wanted)
	}
	return d[pair]
}

// shown returns a value as texts show it.
func shown(value string) string {
	if value == "" {
		return "(empty)"
	}
	return Clip(value)
}
