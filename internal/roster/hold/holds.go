// Package hold has the holds: why a node that should be replaced is not. Its table is all that
// there is to say about each of them.
package hold

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// All are all holds in the order in which the gate asks for them: a node that several hold
// has the first. A row is all that there is to say about a hold; its sentences have words in
// braces, which are filled in from [words].
var All = []struct {
	Hold
	done   bool         // nothing but a person ends it, so the node does not remain to be replaced
	Quiet  bool         // the status of the cluster names it only where nothing else holds a node
	Why    string       // what holds a node
	Status string       // what the status of the cluster says; "": nothing
	Title  roster.Title // of the notice of a plan; "": none
	Notice string
}{
	{
		Hold: HeldProtected, done: true, Quiet: true,
		Why:    "it {protected}",
		Status: "{ill and protected}",
		Title:  ProtectedOutdated, Notice: "{kept} of another template than the wanted one will not be replaced: " +
			"{who is kept}.",
	},
	{
		Hold: HeldBegins, Quiet: true,
		Why:   "the update begins with the next apply",
		Title: UpdateBegins, Notice: "{count} should be replaced, and this apply replaces none: Terraform must first " +
			"have stored what the servers depend on, and their lifecycle. The next apply takes the first batch.",
	},
	{
		Hold:   HeldOlder,
		Why:    "its server carries the later mark {carried}: this state is older than the cluster",
		Status: "held: this state is older than the servers of {nodes}",
		Title:  OlderState, Notice: "The servers of {count} carry later marks or generations than this state has: " +
			"{nodes}. They were changed by an apply that this state does not know. Nothing is replaced there. " +
			"Restore the newest state, or import the cluster again. If somebody else wrote those marks, name the " +
			"nodes in candidates.",
	},
	{
		Hold:   HeldWiring,
		Why:    "wiring: {loose}",
		Status: "held: wiring of {nodes}: {loose}",
	},
	{
		Hold: HeldClosed, Quiet: true,
		Why:    "{place} {shut}",
		Status: "held: {nodes with why}",
		Title:  PlacesClosed, Notice: "{count} should be replaced, and their places take no nodes now: {nodes with " +
			"why}. They stay as they are until their places take nodes again; the next plan goes on then by itself.",
	},
	{
		Hold: HeldUnseen, Quiet: true,
		Why:    "{unseen}",
		Status: "held: {nodes with why}",
		Title:  NotSeen, Notice: "{count} should be replaced, and it is not known what they do now: {nodes with " +
			"why}. Plan without -refresh=false.",
	},
	{
		Hold:   HeldOutage,
		Why:    "{outage}",
		Status: "held: {outage}",
		Title:  TooManyUnhealthy, Notice: "{outage}: so none is replaced for that, and none that may serve for " +
			"another cause. " +
			"Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.",
	},
	{
		Hold:   HeldFailed,
		Why:    "the template that it should get failed, and none is settled",
		Status: "held: the template that {nodes} should get failed",
	},
	{
		Hold:   HeldFormer,
		Why:    IsFormer,
		Status: "held: the servers of {nodes} did not follow their nodes",
	},
	{
		Hold:   HeldTwice,
		Why:    "{twice}: change the template, or name it in candidates",
		Status: "held: {nodes} did not last, nor did what they replaced",
		Title:  MadeTwice, Notice: "{count}: two servers, one after the other, did not get into service or did not " +
			"stay " +
			"there: {nodes}. There is no third. Change the template, or name the nodes in candidates to try once more.",
	},
	{
		Hold: HeldTarget, done: true, Quiet: true,
		Why: "as many nodes have the wanted template as target ({target}) says",
	},
	{
		Hold:   HeldNoHost,
		Why:    "Nova found no host for it in {place}",
		Status: "held: Nova found no host for {nodes with places}",
		Title:  NoHost, Notice: "Nova found no host for the servers of {count}: {nodes with places}. With method = " +
			"{method} a node keeps its place, so it is made again there once retry_full_after is over. Make room, or " +
			"remove the node, so that another one comes where room is.",
	},
	{
		Hold:   HeldNoRoom,
		Why:    "{room}",
		Status: "held: no room for the substitutes of {nodes}",
		Title:  NoRoom, Notice: "{count} should be replaced now, and there is no room for substitutes: {nodes}. " +
			"{room} Raise a cap, or list another place.",
	},
	{
		Hold:   HeldServers,
		Why:    "{beyond} beyond the cluster still run, and two batches are the most",
		Status: "held: {beyond} beyond the cluster still run, so {nodes} wait",
		Title:  TooManyServers, Notice: "{beyond} that leave still run, and there may be two batches of them. They " +
			"keep {count} from being replaced: {nodes}. An apply that ends without an error destroys them. If no " +
			"server of this template gets into service, give another template, or name the failed nodes in candidates.",
	},
	{
		Hold:   HeldBakes,
		Why:    "the batch before it has to serve for longer: {baking}",
		Status: "bakes: {baking} must be in service for longer",
		Title:  BatchBakes, Notice: "{remaining} more should be replaced. These have to be in service for as long as " +
			"update.pause first: {baking}. Apply again then.",
	},
	{
		Hold: HeldWaits,
		Why:  "the batch waits for {waited for}",
	},
	{
		Hold: HeldBatch, Quiet: true,
		Why: "{batch}",
	},
}
