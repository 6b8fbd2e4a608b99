package say

import (
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
)

// waits notes the nodes that the next batch waits for, each with the reason: nodes under way, nodes out of service if
// the method takes nodes out of service first, and leaving nodes whose servers still exist.
func (p *speech) waits() {
	add := func(name, why string) { p.waiting = append(p.waiting, fmt.Sprintf("%s (%s)", name, why)) }
	for _, v := range p.Staying() {
		switch first := p.Policy.TakesFirst(); {
		case v.Granted(), !v.Occupies() && (!first || !v.Out()):
		case first && v.Untouched != "":
			add(v.Name, v.String()+" "+v.Untouched)
		default:
			add(v.Name, Why(v.Fact))
		}
	}
	for _, name := range p.Leaving {
		add(name, absence(verdict.Absence{Name: name}))
	}
}
