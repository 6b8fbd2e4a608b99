// Package status has the phases of a cluster, with which its status begins. Programs compare phases, and nothing reads
// the text of a status.
package status

import "strings"

// Limit is the maximum number of characters of a status.
const Limit = 120

// Phase is what a cluster does: the attribute phase of its attachment. The set is closed.
type Phase string

// The phases.
const (
	InStep   Phase = "in_step"
	Behind   Phase = "behind"
	Waits    Phase = "waits"
	Paused   Phase = "paused"
	Outdated Phase = "outdated"
	Held     Phase = "held"
)

// All lists all phases, each with its meaning.
var All = []struct {
	Phase
	Means string
}{
	{InStep, "the cluster is as its policy says"},
	{Behind, "the next plan replaces nodes: apply again"},
	{Waits, "nodes are not in service yet"},
	{Paused, "nodes must be in service for longer"},
	{Outdated, "nodes are not what new ones are, and no cause replaces them"},
	{Held, "something else holds nodes that should be replaced"},
}

// Words returns the first words of a status.
func (p Phase) Words() string { return strings.ReplaceAll(string(p), "_", " ") }

// Status is the status of a cluster.
type Status struct {
	Phase
	Text string // one line, which begins with the words of the phase
}
