package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// UnknownProtected is the title of names that protect no node.
const UnknownProtected Title = "A protected node is not there"

// MisspelledError says that a node would be removed or replaced which a protected name
// seems to mean.
type MisspelledError struct{ Written, Node string }

func (e *MisspelledError) Error() string {
	return fmt.Sprintf("No node is named %q, which is protected, and %q would be removed or replaced.",
		e.Written, e.Node)
}

// UnknownCandidateError says that a candidate is no node, and that others would leave
// instead.
type UnknownCandidateError struct{ Names []string }

func (e *UnknownCandidateError) Error() string {
	return fmt.Sprintf("No node has the name, or a server with the id, %s: other nodes would be removed instead.",
		strings.Join(e.Names, ", "))
}

// protectsNobody warns of protected names and ids that are no node's, and refuses a
// plan that changes a node which one of them seems to mean.
func protectsNobody(all facts, change Change, policy Policy) ([]Notice, error) {
	var unknown []string
	for _, written := range policy.Protected {
		_, there := all[written]
		there = there || slices.ContainsFunc(change.Of(Comes), func(v Verdict) bool { return v.Name == written })
		for _, f := range all {
			there = there || f.server.ID == written
		}
		if there {
			continue
		}
		unknown = append(unknown, written)
		for _, d := range append(change.Of(Leaves), change.Of(Changes)...) {
			if deletion.Misspelled(written, d.Name) {
				return nil, &MisspelledError{written, d.Name}
			}
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	return []Notice{notice(UnknownProtected, "deletion.protected has what is neither the name of a node nor the id of "+
		"a server of one: %s. Correct it, or remove it from the list.", text.Few(unknown))}, nil
}
