package decide

import "fmt"

// ArgumentError is an argument that makes a plan impossible.
type ArgumentError struct {
	Argument []string // path of the argument, such as deletion, candidates
	Title    string
	Text     string // sentences about what is wrong, and what to do next
}

func (e *ArgumentError) Error() string { return e.Title + ": " + e.Text }

// with returns the error with words in place of the verbs of its text.
func (e ArgumentError) with(words ...any) error {
	e.Text = fmt.Sprintf(e.Text, words...)
	return &e
}

var (
	candidatesArgument = []string{"deletion", "candidates"}
	protectedArgument  = []string{"deletion", "protected"}

	invalidCandidate = ArgumentError{candidatesArgument, "Invalid candidate", "The node %q cannot be a candidate, " +
		"because %s. Remove it from candidates and kept, or change that first."}
	// a candidate that should be made again
	closedCandidate = ArgumentError{candidatesArgument, "Invalid candidate", "The candidate %q should be made " +
		"again in its place, but %s is closed. Open the place, or remove the node from candidates."}
	// other nodes would leave instead
	unknownCandidates = ArgumentError{candidatesArgument, "Invalid candidate", "No node has the name, or a server " +
		"with the id, %s, so other nodes would be removed instead. Correct the name, or remove it from the list."}
	misspelledProtection = ArgumentError{protectedArgument, "A protected node is not there", "No node has the " +
		"protected name %q, and %q would be removed or replaced. Correct the name, or remove it from the list."}
	slotsInUse = ArgumentError{[]string{"stateful", "release"}, "A slot to release is in use", "Nodes still use " +
		"the slots %s. A slot can be released once its node is removed: shrink first, or remove the name from " +
		"release."}
	templateRemoved = ArgumentError{[]string{"template"}, "The template is gone", "The nodes are made from a " +
		"template, so it cannot be removed: new nodes would have none. Give it again, for every place that has " +
		"nodes; to start over, remove the attachment from the state and import the cluster."}
	tooManyProtected = ArgumentError{[]string{"desired_capacity"}, "Too few nodes can be removed", "%s must be " +
		"removed from the cluster, but only %d of its nodes can be (protected: %d). Remove fewer nodes, or " +
		"protect fewer: %s. To destroy the whole cluster, use terraform destroy -refresh=false: it plans no " +
		"shrink, and desired_capacity can stay as it is."}
)
