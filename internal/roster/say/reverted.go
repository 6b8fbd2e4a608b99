package say

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Reverted says of a plan that the given template failed.
type Reverted struct {
	Nodes []string // whose servers were not in service in time
	Back  []string // nodes that have the template and go back, in this plan or later
	Holds bool     // there is nothing to go back to: nothing is replaced for the template
	Later int64    // number of the nodes that go back in a later plan
}

// revert is what that means for the nodes that are there before the plan; nil where nothing
// failed.
func (p *speech) revert() *Reverted {
	v := p.Failure
	if len(v.Failures) == 0 {
		return nil
	}
	reverted := &Reverted{Holds: v.Holds}
	for _, f := range v.Failures {
		reverted.Nodes = append(reverted.Nodes, f.Node)
	}
	for _, name := range p.All.Names() {
		f := p.All[name]
		if f.Outdated && f.Template == v.Given.At(f.Place) && !v.Holds {
			reverted.Back = append(reverted.Back, name)
			if !p.Granted(name) {
				reverted.Later++
			}
		}
	}
	return reverted
}

// tellReverted says that a template failed, what happens for it, and what to do.
func (p *speech) tellReverted() []roster.Notice {
	v, reverted := p.Failure, p.Reverted
	if reverted == nil {
		return nil
	}
	const again = "To try the same once more, add a value to it that changes nothing, such as attempt = \"2\"."
	var why strings.Builder
	for _, f := range v.Failures {
		fmt.Fprintf(&why, "The template of %s failed: its server had run for %s when a wait for it ended, and was not "+
			"in service. ", f.Node, duration.Format(f.After))
	}
	evidence := fmt.Sprintf("%srevert_after is %s.", why.String(), duration.Format(p.Policy.Update.RevertAfter))
	if v.Holds {
		return []roster.Notice{notice(hold.TemplateHeld, "%s No template is settled yet: that is the last one that "+
			"all nodes had while half of them were in service. So no more nodes are replaced for this one. Give a "+
			"template that works. %s", evidence, again)}
	}
	back := "No node has it any more."
	if n := len(reverted.Back); n == 1 {
		back = fmt.Sprintf("1 node goes back: %s.", reverted.Back[0])
	} else if n > 1 {
		back = fmt.Sprintf("%s go back: %s.", text.Nodes(int64(n)), text.Few(reverted.Back))
	}
	at := v.Places[0]
	return []roster.Notice{notice(hold.TemplateReverted, "%s So the settled template is wanted, which all nodes had "+
		"before: %s. %s The given one stays failed: give the settled template, or another one. %s",
		evidence, Differs(v.Given.At(at), v.Wanted.At(at)), back, again)}
}
