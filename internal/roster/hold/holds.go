// Package hold has the holds: why a node that should be replaced is not. A hold has everything about itself.
package hold

import "github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"

// Hold is why a node that should be replaced is not. The set is closed; nil is no hold. The sentences
// have words in braces, which package say fills in.
type Hold struct {
	Done   bool         // whether only a person ends the hold, so that the node does not remain to be replaced
	Quiet  bool         // whether the status of the cluster shows the hold only if no other hold applies
	Why    string       // clause about what holds a node
	Word   status.Phase // phase of the cluster; "" for [status.Held]
	Status string       // text of the status after its first words; "" for a hold that the status does not show
	Title  string       // title of the notice; "" for a hold without a notice
	Notice string
}

// All lists all holds in the order of the gate, of statuses and of notices: of several that hold a node, the first one
// counts.
var All = []*Hold{
	Protected, Begins, Older, Wiring, Closed, Unseen, Outage, NotRemade, Twice, Spent, Target,
	NoPlace, NoHost, NoRoom, Batch, Servers, Bakes, Waits,
}

// The holds.
var (
	Protected = &Hold{
		Done: true, Quiet: true,
		Why:    "it {protected}",
		Status: "{protections}",
	}
	Begins = &Hold{Quiet: true, Why: "the update begins with the next apply"}
	Older  = &Hold{
		Why:    "its server carries the later mark {carried}: this state is older than the cluster",
		Status: "this state is older than the servers of {nodes}",
		Title:  "Servers are ahead of this state",
		Notice: "The servers of {count} carry later marks or generations than this state: {nodes}. An apply that " +
			"this state does not know changed them, so they are not replaced. Restore the newest state, or import " +
			"the cluster again. If somebody else wrote those marks, name the nodes in candidates.",
	}
	Wiring = &Hold{Why: "wiring: {loose}", Status: "wiring of {nodes}: {loose}"}
	Closed = &Hold{
		Quiet:  true,
		Why:    "{place} {shut}",
		Status: "{nodes with why}",
	}
	Unseen = &Hold{
		Quiet:  true,
		Why:    "{unseen}",
		Status: "{nodes with why}",
	}
	Outage = &Hold{
		Why:    "{outage}",
		Status: "{outage}",
		Title:  "Too many nodes are unhealthy to replace them",
		Notice: "{outage}. So no node is replaced for being unhealthy, and no healthy one for another " +
			"cause. Look at the cloud first. To replace nodes anyway, raise stop_above, or name them in " +
			"candidates.",
	}
	NotRemade = &Hold{
		Why: "its server should have been made again, but is still the old one: give it replace_triggered_by, and no " +
			"create_before_destroy if it has a port or a volume; then name the node in candidates",
		Status: "the servers of {nodes} were not made again",
	}
	Twice = &Hold{
		Why: "two servers of {template} failed, one after the other: give another template, or name it in " +
			"candidates",
		Status: "two servers of {template} failed for {nodes}",
		Title:  "Nodes are not made a third time",
		Notice: "Two servers of {template} did not get into service, or did not stay in service, for {count}: " +
			"{nodes}. Give another template, or name the nodes in candidates to try once more.",
	}
	Spent = &Hold{
		Why:    "nothing more is made from {template}: its servers were cleaned up twice",
		Status: "the servers of {template} were cleaned up twice: give another template",
	}
	Target  = &Hold{Done: true, Quiet: true, Why: "as many nodes have the wanted template as target ({target}) says"}
	NoPlace = &Hold{Quiet: true, Why: "{place} {shut}", Status: "{nodes with why}"}
	NoHost  = &Hold{
		Why:    "Nova found no host for it in {place}",
		Status: "Nova found no host for {nodes with places}",
		Title:  "Nodes wait for a host",
		Notice: "Nova found no host for the servers of {count}: {nodes with places}. The update keeps each " +
			"node in its place, so it is made again there after an hour. Make room there, or remove the node, so " +
			"that a new one is placed elsewhere.",
	}
	NoRoom = &Hold{
		Why:    "{room}",
		Status: "no room for the substitutes of {nodes}",
		Title:  "No room for a replacement",
		Notice: "{count} should be replaced now, but there is no room for substitutes: {nodes}. {room} Raise a " +
			"cap, or list another place.",
	}
	Servers = &Hold{
		Why:    "there are {beyond} beyond the cluster, and at most two batches are allowed",
		Status: "{nodes}, because there are {beyond} beyond the cluster",
	}
	Bakes = &Hold{
		Word:   status.Paused,
		Why:    "the previous batch must be in service for longer: {baking}",
		Status: "{baking} must be in service for longer",
	}
	Waits = &Hold{
		Why:   "the batch waits for {waited for}",
		Title: "A batch waits for the one before",
		Notice: "{remaining} more should be replaced. The batch waits for {waited for}. Apply again once these nodes " +
			"are in service, or gone. If one cannot get into service, change the template, or name the node in " +
			"candidates; open a closed place first. If somebody keeps the server of a node that leaves, name the " +
			"node in deletion.kept.",
	}
	Batch = &Hold{Quiet: true, Why: "its turn comes with a later batch"}
)
