package backend

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Walk has what resources tell each other during one walk through Terraform's graph, such as a plan. Each walk
// configures the provider once. A resource sees the notes of those that it refers to, because Terraform plans these
// first. It sees the notes of other resources only by chance, unless both note first and look then: the second of
// them sees the first. Nothing waits for notes.
type Walk struct {
	clusters Notes[string, Cluster] // by name

	Refreshed atomic.Bool // whether the walk read an attachment, as no plan to destroy all does

	Known    Notes[string, bool]   // servers with a deletion attachment in the state
	Attached Notes[string, bool]   // servers with a deletion attachment after the plan
	Detached Notes[string, bool]   // servers whose deletion attachment the plan destroys
	Ended    Notes[string, bool]   // servers whose deletion attachment the apply has destroyed
	InUse    Notes[string, bool]   // servers of nodes that the plan keeps; of those that it changes too
	Replaced Notes[string, bool]   // server groups whose attachment the plan replaces, and which it deletes
	Leaving  Notes[string, string] // servers whose nodes leave or change, with the cluster that replaces them, or ""

	Names   Notes[Member, bool]      // names that new placement attachments give to nodes, each in its region
	Found   Notes[Member, Unclaimed] // nodes, each in its cluster, with servers for which nobody has waited
	Ready   Notes[string, bool]      // clusters whose readiness attachment found all servers in service
	Refused Notes[string, bool]      // errors that were reported for another attachment already
}

// Cluster is what the plan of a placement attachment tells the other attachments of its cluster.
type Cluster struct {
	Method string   // how nodes are replaced; "" without an update
	Batch  int64    // number of nodes that the plan may still replace; negative if that is not known
	Free   int64    // number of servers that Terraform may make again, beside those that the plan makes
	Failed []string // servers that failed, each with its id
	Begins bool     // whether a batch of TEMPLATE begins
	Marked bool     // whether a node of the cluster ever carried a mark
	Nodes  map[string]Node
}

// Node is what the plan of a placement attachment tells about a node.
type Node struct {
	Mark      string
	MadeAgain bool     // whether the plan makes its server again
	Revised   bool     // whether it gives the node another template, and no other server
	Serves    string   // id of its server, if the plan leaves it as it is and it serves
	Has       bool     // whether a server of its name is there, as far as is known
	Dead      []string // ids of those in ERROR
}

// Member is a name in a cluster or a region.
type Member struct{ In, Name string }

// Unclaimed are servers with the name of a node for which nobody has ever waited, or that an imported cluster has.
type Unclaimed struct {
	IDs     []string
	Mark    string // mark of the node
	Adopted bool   // whether the cluster was imported, and not applied since
}

// Publish tells the plan of a cluster.
func (w *Walk) Publish(name string, c Cluster) { w.clusters.Note(name, c) }

// Cluster returns the plan of a cluster, and whether its placement attachment was planned.
func (w *Walk) Cluster(name string) (c Cluster, planned bool) {
	if c, planned = w.clusters.Noted(name); !planned {
		c.Batch = -1
	}
	return c, planned
}

// IsDead reports whether a server of a node is in ERROR, as far as the plan of its cluster tells.
func (w *Walk) IsDead(cluster, node, id string) bool {
	c, _ := w.clusters.Noted(cluster)
	return slices.Contains(c.Nodes[node].Dead, id)
}

// CheckCluster refuses an attachment that names another cluster than its nodes', and reports whether it does. One error
// stands for all attachments of a plan.
func (w *Walk) CheckCluster(named types.String, nodes []string, diags *diag.Diagnostics) (refused bool) {
	owner, node := w.owner(named.ValueString(), nodes)
	if named.IsNull() || named.IsUnknown() || owner == "" {
		return false
	}
	detail := fmt.Sprintf("The attachment says cluster %q, and its nodes are of cluster %q, so neither would see what "+
		"the other does. Write cluster = %q.", named.ValueString(), owner, owner)
	if !w.Refused.Note(detail, true) {
		diags.AddAttributeError(path.Root("cluster"), "Nodes of another cluster", detail+" The first is "+node+".")
	}
	return true
}

// owner returns another cluster whose plan has one of the nodes, with that node, while the plan of the named cluster
// does not have it. It returns "" if all is well, or as far as nobody knows.
func (w *Walk) owner(named string, nodes []string) (owner, node string) {
	w.clusters.mu.Lock()
	defer w.clusters.mu.Unlock()
	for _, node := range nodes {
		if _, has := w.clusters.values[named].Nodes[node]; has {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(w.clusters.values)) {
			if _, has := w.clusters.values[name].Nodes[node]; has {
				return name, node
			}
		}
	}
	return "", ""
}

// Notes are values of one kind, by key.
type Notes[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

// Note notes a value, and reports whether the key was noted before.
func (n *Notes[K, V]) Note(key K, value V) (noted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, noted = n.values[key]
	if n.values == nil {
		n.values = map[K]V{}
	}
	n.values[key] = value
	return noted
}

// Noted returns the value that was noted.
func (n *Notes[K, V]) Noted(key K) (value V, noted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	value, noted = n.values[key]
	return value, noted
}
