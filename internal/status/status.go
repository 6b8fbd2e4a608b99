// Package status has the words with which the status of a cluster begins. Machines compare these words,
// and never the sentence after them.
package status

import "strings"

// Limit is the maximum number of characters of a status.
const Limit = 120

// Word is the first word of a status.
type Word string

// The words.
const (
	InStep Word = "in step" // the cluster is as its policy says
	Behind Word = "behind"  // the next plan replaces nodes
	Waits  Word = "waits"   // nodes are not in service yet
	Bakes  Word = "bakes"   // nodes must be in service for longer
	Held   Word = "held"    // something holds nodes that should be replaced
)

// All lists all words.
var All = []Word{InStep, Behind, Waits, Bakes, Held}

// WordOf returns the word of a status, or "" for another text.
func WordOf(text string) Word {
	for _, w := range All {
		if strings.HasPrefix(text, string(w)) {
			return w
		}
	}
	return ""
}
