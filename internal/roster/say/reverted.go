package say

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// reverted says that a template failed, what the plan does about it, and what to do.
func (p *speech) reverted() []Notice {
	v := p.Failure
	if len(v.Failures) == 0 {
		return nil
	}
	const again = "To try the same template once more, for example because the check was wrong, set attempt = \"2\": " +
		"in the modules a variable, else a value of template."
	var why strings.Builder
	for _, f := range v.Failures {
		fmt.Fprintf(&why, "The template of %s failed: its server had run for %s when a wait for it ended, and was not "+
			"in service. ", f.Node, duration.Format(f.After))
	}
	evidence := fmt.Sprintf("%srevert_after is %s.", why.String(), duration.Format(p.Policy.Update.RevertAfter))
	if v.Holds {
		return notice("The template failed, and there is none to go back to", "%s There is no settled template to go "+
			"back to: no template was on all nodes while at least half of them were in service. So no more nodes are "+
			"replaced for this template. Give one that works. %s", evidence, again)
	}
	back := "No node has the failed one any more."
	if list := p.GoBack(); len(list) > 0 {
		back = nodesGoBack(len(list)) + ": " + text.Few(list.Names()) + "."
	}
	return notice("The template failed, and the settled one is wanted again", "%s So the settled template is wanted "+
		"again, which all nodes had before: %s. %s The given template stays failed: give the settled one, or "+
		"another. %s", evidence, Differs(v.Given.At(v.At), p.Policy.Templates.At(v.At)), back, again)
}

// failed says which templates failed, for a status.
func (p *speech) failed() string {
	var nodes []string // whose servers were not in service in time
	for _, f := range p.Failure.Failures {
		nodes = append(nodes, f.Node)
	}
	failed := "the template of " + text.Few(nodes) + " failed"
	switch left := len(p.GoBack()); {
	case p.Failure.Holds:
		return failed + ", and there is no settled one to go back to"
	case left > 0:
		return failed + ", " + nodesGoBack(left)
	}
	return failed
}

// nodesGoBack is "1 node goes back".
func nodesGoBack(nodes int) string {
	if nodes == 1 {
		return "1 node goes back"
	}
	return text.Nodes(int64(nodes)) + " go back"
}
