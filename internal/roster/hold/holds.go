// Package hold has the holds: why a node that should be replaced is not. Its table has everything
// about each of them.
package hold

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// All lists all holds in the order in which the gate looks for them: if several holds apply to a
// node, it gets the first. The sentences have words in braces, which package say fills in.
var All = []struct {
	Hold
	done   bool         // whether only a person ends the hold, so that the node does not remain to be replaced
	Quiet  bool         // whether the status of the cluster shows the hold only if no other hold applies
	Why    string       // clause about what holds a node
	Status string       // text for the status of the cluster; "" for a hold that it does not show
	Title  roster.Title // title of the notice; "" for a hold without a notice
	Notice string
}{
	{
		Hold: HeldProtected, done: true, Quiet: true,
		Why:    "it {protected}",
		Status: "{ill and protected}",
		Title:  ProtectedOutdated, Notice: "{kept} will not get the wanted template: {who is kept}.",
	},
	{
		Hold: HeldBegins, Quiet: true,
		Why:   "the update begins with the next apply",
		Title: UpdateBegins, Notice: "{count} should be replaced, but not by this apply: Terraform must first store " +
			"what the servers depend on, and their lifecycle. The next apply replaces the first batch.",
	},
	{
		Hold:   HeldOlder,
		Why:    "its server carries the later mark {carried}: this state is older than the cluster",
		Status: "held: this state is older than the servers of {nodes}",
		Title:  OlderState, Notice: "The servers of {count} carry later marks or generations than this state: " +
			"{nodes}. An apply that this state does not know changed them, so they are not replaced. " +
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
		Title:  PlacesClosed, Notice: "{count} should be replaced in places that take no nodes now: " +
			"{nodes with why}. The update continues by itself once these places take nodes again.",
	},
	{
		Hold: HeldUnseen, Quiet: true,
		Why:    "{unseen}",
		Status: "held: {nodes with why}",
		Title:  NotSeen, Notice: "{count} should be replaced, but the current state is not known: {nodes with why}. " +
			"Plan without -refresh=false.",
	},
	{
		Hold:   HeldOutage,
		Why:    "{outage}",
		Status: "held: {outage}",
		Title:  TooManyUnhealthy, Notice: "{outage}. So no unhealthy node is replaced, and no node that may be in " +
			"service is replaced for another cause. Look at the cloud first. To replace nodes anyway, raise " +
			"stop_above, or name them in candidates.",
	},
	{
		Hold:   HeldFailed,
		Why:    "the template that it should get failed, and there is no settled one",
		Status: "held: the template that {nodes} should get failed",
	},
	{
		Hold:   HeldNotRemade,
		Why:    NotRemade,
		Status: "held: the servers of {nodes} were not made again",
	},
	{
		Hold:   HeldTwice,
		Why:    "{twice}: change the template, or name the node in candidates",
		Status: "held: two servers in a row failed for {nodes}",
		Title:  MadeTwice, Notice: "Two servers in a row did not get into service, or did not stay in service, for " +
			"{count}: {nodes}. No third one is made. Change the template, or name the nodes in candidates to try " +
			"once more.",
	},
	{
		Hold: HeldTarget, done: true, Quiet: true,
		Why: "as many nodes have the wanted template as target ({target}) says",
	},
	{
		Hold: HeldWindow, Quiet: true,
		Why:    "until {opens}",
		Status: "held: until {opens}, {nodes}",
		Title:  WindowShut, Notice: "{count} should be replaced, and no batch begins until {opens}: {nodes}. See " +
			"update.window. " +
			"To replace one before that, name it in candidates.",
	},
	{
		Hold:   HeldNoHost,
		Why:    "Nova found no host for it in {place}",
		Status: "held: Nova found no host for {nodes with places}",
		Title:  NoHost, Notice: "Nova found no host for the servers of {count}: {nodes with places}. With method = " +
			"{method} a node keeps its place, so it is made again there once retry_full_after is over. Make room " +
			"there, or remove the node, so that a new one is placed elsewhere.",
	},
	{
		Hold:   HeldNoRoom,
		Why:    "{room}",
		Status: "held: no room for the substitutes of {nodes}",
		Title:  NoRoom, Notice: "{count} should be replaced now, but there is no room for substitutes: {nodes}. " +
			"{room} Raise a cap, or list another place.",
	},
	{
		Hold:   HeldServers,
		Why:    "there are {beyond} beyond the cluster, and at most two batches are allowed",
		Status: "held: {nodes}, because there are {beyond} beyond the cluster",
		Title:  TooManyServers, Notice: "There are {beyond} of nodes that leave, and at most two batches are " +
			"allowed. So {count} must wait: {nodes}. An apply that ends without an error destroys those servers. If " +
			"no server of this template gets into service, give another template, or name the failed nodes in " +
			"candidates.",
	},
	{
		Hold:   HeldBakes,
		Why:    "the previous batch must be in service for longer: {baking}",
		Status: "bakes: {baking} must be in service for longer",
		Title:  BatchBakes, Notice: "{remaining} more should be replaced, but the previous batch must first be in " +
			"service for as long as update.pause: {baking}. Apply again then.",
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
