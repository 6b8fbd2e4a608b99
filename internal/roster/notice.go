package roster

import (
	"errors"
	"fmt"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
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
	FirstTemplate     Title = "The first template is of all nodes"
	BatchWaits        Title = "A batch waits for nodes to get in service"
	TooManyUnhealthy  Title = "Too many nodes are unhealthy to replace them"
	NoRoom            Title = "No room for a replacement"
	ProtectedOutdated Title = "Protected nodes stay as they are"
	UnknownCandidate  Title = "A candidate is not there"
	UnseenChosen      Title = "A node was chosen unseen"
	UpdateBegins      Title = "The update begins with the next apply"
)

func (p *planner) notice(title Title, format string, args ...any) {
	p.change.Notices = append(p.change.Notices, Notice{title, fmt.Sprintf(format, args...)})
}

// detail returns what a notice says about an error.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}
