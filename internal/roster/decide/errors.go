package decide

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ArgumentError is an argument that makes a plan impossible.
type ArgumentError struct {
	Argument []string // path of the argument, such as deletion, candidates
	Title    string
	Text     string // sentences about what is wrong, and what to do next
}

func (e *ArgumentError) Error() string { return e.Title + ": " + e.Text }

var (
	candidatesArgument = []string{"deletion", "candidates"}
	protectedArgument  = []string{"deletion", "protected"}
)

// invalidCandidate refuses a candidate.
func invalidCandidate(name, why string) error {
	return &ArgumentError{candidatesArgument, "Invalid candidate", fmt.Sprintf("The node %q cannot be a candidate, "+
		"because %s. Remove it from candidates and kept, or change that first.", name, why)}
}

// closedCandidate refuses a candidate that cannot be made again, because its place is closed.
func closedCandidate(f *facts.Fact) error {
	return &ArgumentError{candidatesArgument, "Invalid candidate", fmt.Sprintf("The candidate %q should be made again "+
		"in its place, but %s is closed. Open the place, or remove the node from candidates.", f.Name, f.Place)}
}

// unknownCandidates refuses candidates that are no nodes, because other nodes would leave instead.
func unknownCandidates(names []string) error {
	return &ArgumentError{candidatesArgument, "Invalid candidate", fmt.Sprintf("No node has the name, or a server "+
		"with the id, %s, so other nodes would be removed instead. Correct the name, or remove it from the list.",
		strings.Join(names, ", "))}
}

// misspelledProtection refuses a change of a node if the list of protected nodes seems to misspell
// its name.
func misspelledProtection(written, name string) error {
	return &ArgumentError{protectedArgument, "A protected node is not there", fmt.Sprintf("No node has the protected "+
		"name %q, and %q would be removed or replaced. Correct the name, or remove it from the list.", written, name)}
}

// slotsInUse refuses to release slots that have a node.
func slotsInUse(names []string) error {
	return &ArgumentError{[]string{"stateful", "release"}, "A slot to release is in use", fmt.Sprintf("Nodes still "+
		"use the slots %s. A slot can be released once its node is removed: shrink first, or remove the name from "+
		"release.",
		text.Few(names))}
}

// templateRemoved refuses a policy without a template if nodes have one.
func templateRemoved() error {
	return &ArgumentError{[]string{"template"}, "The template is gone", "The nodes are made from a template, so it " +
		"cannot be removed: new nodes would have none. Give it again, for every place that has nodes; to start over, " +
		"remove the attachment from the state and import the cluster."}
}

// tooManyProtected refuses a shrink because too few nodes can be removed.
func tooManyProtected(asked, others, protected int64, who []string) error {
	return &ArgumentError{[]string{"desired_capacity"}, "Too few nodes can be removed", fmt.Sprintf(
		"%s must be removed from the cluster, but only %d of its nodes can be (protected: %d). Remove fewer nodes, or "+
			"protect fewer: %s. To destroy the whole cluster, use terraform destroy -refresh=false: it plans no "+
			"shrink, and desired_capacity can stay as it is.",
		text.Nodes(asked), others, protected, text.Few(who))}
}
