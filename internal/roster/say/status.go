package say

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// status returns the status of a cluster, whose text is one line of at most [status.Limit] characters.
func (p *speech) status() status.Status {
	says := p.stated(5)
	if utf8.RuneCountInString(says) > status.Limit {
		says = p.stated(1)
	}
	if cut := []rune(says); len(cut) > status.Limit {
		says = string(append(cut[:status.Limit-3], []rune("...")...))
	}
	return status.Status{Phase: p.Status().Word, Text: says}
}

// stated returns the status with lists of at most so many names.
func (p speech) stated(most int) string {
	p.most = most
	s := p.Status()
	says := s.Word.Words()
	target := len(p.Verdicts.Held(hold.Target))
	switch {
	case s.Word != status.InStep:
		return says + ": " + p.about(s)
	case target > 0:
		return fmt.Sprintf("%s, as target says: %s of another template", says, text.Nodes(int64(target)))
	}
	return says
}

// about returns what a status says after its word.
func (p *speech) about(s verdict.Status) string {
	switch {
	case p.Crowded > 0 && p.Cleans > 0:
		return fmt.Sprintf("cleans up %s; apply again", text.Count(p.Cleans, "failed server"))
	case s.Hold != nil:
		return p.fill(s.Hold.Status, s.Nodes...)
	case s.Word == status.Waits:
		return p.few(absences(s.Waits))
	case s.Word == status.Held:
		return p.needs(s)
	case p.Missing() > 0:
		return fmt.Sprintf("%d of %s to make; apply again", p.Missing(), text.Nodes(p.Policy.Capacity))
	case s.Remaining > 0:
		return fmt.Sprintf("%d of %s to replace", s.Remaining, text.Nodes(p.Policy.Capacity))
	}
	return text.Nodes(p.Uncaused()) + " of another template or flavor, and no cause replaces them"
}

// needs returns what a cluster that no hold of a node holds needs from a person.
func (p *speech) needs(s verdict.Status) string {
	var list []string
	switch {
	case len(s.Waits) > 0:
		return p.few(absences(s.Waits)) + ": " + s.Waits[0].Person
	case p.Short > 0:
		return fmt.Sprintf("no place has room for %d of %s (full, or at a cap)", p.Short, text.Nodes(p.Policy.Capacity))
	case p.Spent && p.Crowded > 0:
		return p.fill(hold.Spent.Status)
	case p.Crowded > 0 && len(p.Strays) == 0:
		return fmt.Sprintf("there are %s beyond the cluster, so %s must wait: delete what no apply destroys",
			text.Count(p.Beyond, "server"), text.Nodes(p.Crowded))
	case len(s.Nodes) > 0:
		alike := s.Nodes.Filter(func(v *verdict.Verdict) bool { return v.Free() == s.Nodes[0].Free() })
		return p.few(alike.Names()) + ": " + unrepaired(alike[0])
	case len(p.Policy.MissingWire) > 0: // regions whose servers do not follow their nodes, each with the missing line
		for _, region := range slices.Sorted(maps.Keys(p.Policy.MissingWire)) {
			list = append(list, fmt.Sprintf("%s of %s", p.Policy.MissingWire[region], region))
		}
		return "wiring: " + p.few(list)
	}
	for _, s := range p.Strays {
		list = append(list, fmt.Sprintf("%s (%s)", s.Name, s.ID))
	}
	return "no node has the servers " + p.few(list) + ": delete them"
}

// template names the wanted template.
func (p *speech) template() string {
	for _, at := range slices.SortedFunc(maps.Keys(p.Policy.Templates), placement.Place.Compare) {
		if image := p.Policy.Templates[at].Values()[roster.KeyImage]; image != "" {
			return "image " + Clip(image)
		}
	}
	return "this template"
}

// unrepaired says how a node in ERROR is replaced, or why it stays.
func unrepaired(v *verdict.Verdict) string {
	if !v.Free() {
		return "in ERROR, and " + v.Protected
	}
	return "in ERROR, which no cause replaces: name it in candidates"
}

// absences lists absent nodes, each with its reason.
func absences(list []verdict.Absence) (texts []string) {
	for _, a := range list {
		texts = append(texts, fmt.Sprintf("%s (%s)", a.Name, absence(a)))
	}
	return texts
}
