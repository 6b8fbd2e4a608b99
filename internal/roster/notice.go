package roster

import (
	"errors"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Notice is something that a person should know about a plan: a title, and a
// text of one or more sentences.
type Notice struct {
	Title Title
	Text  string
}

// Title is the first line of a notice.
type Title string

// The titles.
const (
	FirstTemplate     Title = "The first template is taken for what all nodes were made from"
	OtherMarks        Title = "Nodes carry the mark of another template"
	BatchWaits        Title = "A batch waits for nodes to get in service"
	TooManyUnhealthy  Title = "Too many nodes are unhealthy to replace them"
	NoRoom            Title = "No room for a replacement"
	ProtectedOutdated Title = "Protected nodes stay as they are"
	UnknownCandidate  Title = "A candidate is not there"
	BelowMin          Title = "A place is left below its min"
	UnseenChosen      Title = "A node was chosen unseen"
	UpdateBegins      Title = "The update begins with the next apply"
)

func notice(title Title, format string, args ...any) Notice {
	return Notice{title, fmt.Sprintf(format, args...)}
}

// tell says why an update does less than it could: before has all nodes, left
// those that are there after the plan.
func tell(before, left facts, b batch, more int64, policy Policy) (notices []Notice) {
	u := policy.Update
	say := func(title Title, format string, args ...any) {
		notices = append(notices, notice(title, format, args...))
	}
	if u == nil {
		return nil
	}
	if u.New {
		if more > 0 {
			say(UpdateBegins, "%s should be replaced, and this apply replaces none: Terraform must first have stored create_before_destroy of the servers. "+
				"The next apply takes the first batch.", text.Nodes(more))
		}
		return notices
	}
	if u.Has(Unhealthy) && outage(before, policy) {
		sick := before.number(func(f *fact) bool { return f.unhealthy != "" })
		say(TooManyUnhealthy, "Unhealthy: %d of %s. That is more than stop_above (%s) allows, so none is replaced for that. "+
			"Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.", sick, text.Nodes(int64(len(before))), u.StopAbove)
	}
	if n := int64(len(b.blocked)); n > 0 {
		say(NoRoom, "%s should be replaced now, and there is no room for substitutes: %s. %s Raise a cap, or list another place.",
			text.Nodes(n), text.Few(b.blocked), detail(b.noRoom))
	}
	var waits []string
	for _, name := range left.names() {
		if f := before[name]; f != nil && f.underWay() {
			waits = append(waits, fmt.Sprintf("%s (%s)", name, f.trouble))
		}
	}
	if size := u.size(policy.Capacity); more > int64(len(b.blocked)) && int64(len(b.picked)) < size && len(waits) > 0 {
		say(BatchWaits, "%s more should be replaced, at most %d at a time. This batch waits for %s to get in service: %s. "+
			"Apply again when that has happened; if it never will, change the template, or name them in candidates.",
			text.Nodes(more), size, text.Nodes(int64(len(waits))), text.Few(waits))
	}
	if kept := protectedOutdated(left); u.Has(Outdated) && int64(len(kept)) > policy.Capacity-u.Target.up(policy.Capacity) {
		say(ProtectedOutdated, "%s of another template than the wanted one will not be replaced: %s.", text.Nodes(int64(len(kept))), text.Few(kept))
	}
	return notices
}

// protectedOutdated names the protected nodes that keep an update from its target.
func protectedOutdated(left facts) (kept []string) {
	for _, name := range left.names() {
		if f := left[name]; f.protected != "" && f.outdated {
			kept = append(kept, name+" "+f.protected)
		}
	}
	return kept
}

// detail returns what a notice says about an error.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}
