package decide

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/hold"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ArgumentError says that an argument makes a plan impossible, and what to do about it.
type ArgumentError struct {
	Argument []string // its path, such as deletion, candidates
	Title    string
	Text     string // sentences: what is wrong, and what to do next
}

func (e *ArgumentError) Error() string { return e.Title + ": " + e.Text }

var (
	candidatesArgument = []string{"deletion", "candidates"}
	protectedArgument  = []string{"deletion", "protected"}
)

// invalidCandidate refuses a candidate.
func invalidCandidate(name, why string) error {
	return &ArgumentError{candidatesArgument, "Invalid candidate", fmt.Sprintf("The node %q is a candidate for "+
		"removal and %s. Take it out of candidates and kept, or change what stands against it.", name, why)}
}

// closedCandidate refuses a candidate that cannot be made again, because its place is closed.
func closedCandidate(f *facts.Fact) error {
	return &ArgumentError{candidatesArgument, "Invalid candidate", fmt.Sprintf("The node %q is a candidate to be made "+
		"again in its place, and %s is closed. Open the place, or take the node out of candidates.", f.Name, f.Place)}
}

// unknownCandidates refuses candidates that are no nodes where others would leave instead.
func unknownCandidates(names []string) error {
	return &ArgumentError{candidatesArgument, "Invalid candidate", fmt.Sprintf("No node has the name, or a server "+
		"with the id, %s: other nodes would be removed instead. Correct the name, or remove it from the list.",
		strings.Join(names, ", "))}
}

// misspelledProtection refuses a change of a node that a protected name seems to mean.
func misspelledProtection(written, name string) error {
	return &ArgumentError{protectedArgument, string(hold.UnknownProtected), fmt.Sprintf("No node is named %q, which "+
		"is "+
		"protected, and %q would be removed or replaced. Correct the name, or remove it from the list.", written, name)}
}

// slotsInUse refuses to give up slots that nodes are in.
func slotsInUse(names []string) error {
	return &ArgumentError{[]string{"stateful", "release"}, "A slot to release is in use", fmt.Sprintf("Nodes are in "+
		"the "+
		"slots of %s. A slot can be released once its node is removed: shrink first, or take the name out of release.",
		text.Few(names))}
}

// templateRemoved refuses to take a template away.
func templateRemoved() error {
	return &ArgumentError{[]string{"template"}, "The template is gone", "The nodes are made from a template, and a " +
		"template cannot be taken away again: new nodes would be made from nothing. Give it again, for every place " +
		"that has nodes; to start over, remove the attachment from the state and import the cluster."}
}

// tooManyProtected refuses a shrink because too few nodes can be removed.
func tooManyProtected(asked, others, protected int64, who []string) error {
	return &ArgumentError{[]string{"desired_capacity"}, "Too few nodes can be removed", fmt.Sprintf(
		"%s must be removed from the cluster, but only %d of its nodes can be (protected: %d). Remove fewer nodes, or "+
			"protect fewer: %s. To destroy the whole cluster nothing has to be lowered before: terraform destroy "+
			"plans such a change only where it refreshes, so use terraform destroy -refresh=false.",
		text.Nodes(asked), others, protected, text.Few(who))}
}
