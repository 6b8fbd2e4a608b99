package roster

import (
	"fmt"
	"regexp"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// holds are all holds in the order in which the gate asks for them: a node that several hold
// has the first. A row is all that there is to say about a hold; its sentences have words in
// braces, which are filled in from [words].
var holds = []struct {
	Hold
	done   bool   // nothing but a person ends it, so the node is none of those that remain to be replaced
	quiet  bool   // the status of the cluster names it only where nothing else holds a node
	why    string // what holds a node
	status string // what the status of the cluster says; "": nothing
	title  Title  // of the notice of a plan; "": none
	notice string
}{
	{
		Hold: HeldProtected, done: true, quiet: true,
		why:    "it {protected}",
		status: "{ill and protected}",
		title:  ProtectedOutdated, notice: "{kept} of another template than the wanted one will not be replaced: {who is kept}.",
	},
	{
		Hold: HeldBegins, quiet: true,
		why:   "the update begins with the next apply",
		title: UpdateBegins, notice: "{count} should be replaced, and this apply replaces none: Terraform must first have " +
			"stored what the servers depend on, and their lifecycle. The next apply takes the first batch.",
	},
	{
		Hold:   HeldOlder,
		why:    "its server carries the later mark {carried}: this state is older than the cluster",
		status: "held: this state is older than the servers of {nodes}",
		title:  OlderState, notice: "The servers of {count} carry later marks or generations than this state has: {nodes}. " +
			"They were changed by an apply that this state does not know. Nothing is replaced there. Restore the newest " +
			"state, or import the cluster again. If somebody else wrote those marks, name the nodes in candidates.",
	},
	{
		Hold:   HeldWiring,
		why:    "wiring: {loose}",
		status: "held: wiring of {nodes}: {loose}",
	},
	{
		Hold: HeldClosed, quiet: true,
		why:    "{place} {shut}",
		status: "held: {nodes with why}",
		title:  PlacesClosed, notice: "{count} should be replaced, and their places take no nodes now: {nodes with why}. They " +
			"stay as they are until their places take nodes again; the next plan goes on then by itself.",
	},
	{
		Hold: HeldUnseen, quiet: true,
		why:    "{unseen}",
		status: "held: {nodes with why}",
		title:  NotSeen, notice: "{count} should be replaced, and it is not known what they do now: {nodes with why}. Plan " +
			"without -refresh=false.",
	},
	{
		Hold:   HeldOutage,
		why:    "{outage}",
		status: "held: {outage}",
		title:  TooManyUnhealthy, notice: "{outage}: so none is replaced for that, and none that may serve for another cause. " +
			"Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.",
	},
	{
		Hold:   HeldFailed,
		why:    "the template that it should get failed, and none is settled",
		status: "held: the template that {nodes} should get failed",
	},
	{
		Hold:   HeldFormer,
		why:    isFormer,
		status: "held: the servers of {nodes} did not follow their nodes",
	},
	{
		Hold:   HeldTwice,
		why:    "{twice}: change the template, or name it in candidates",
		status: "held: {nodes} did not last, nor did what they replaced",
		title:  MadeTwice, notice: "{count}: two servers, one after the other, did not get into service or did not stay " +
			"there: {nodes}. There is no third. Change the template, or name the nodes in candidates to try once more.",
	},
	{
		Hold: HeldTarget, done: true, quiet: true,
		why: "as many nodes have the wanted template as target ({target}) says",
	},
	{
		Hold:   HeldNoHost,
		why:    "Nova found no host for it in {place}",
		status: "held: Nova found no host for {nodes with places}",
		title:  NoHost, notice: "Nova found no host for the servers of {count}: {nodes with places}. With method = {method} a " +
			"node keeps its place, so it is made again there once retry_full_after is over. Make room, or remove the node, " +
			"so that another one comes where room is.",
	},
	{
		Hold:   HeldNoRoom,
		why:    "{room}",
		status: "held: no room for the substitutes of {nodes}",
		title:  NoRoom, notice: "{count} should be replaced now, and there is no room for substitutes: {nodes}. {room} Raise " +
			"a cap, or list another place.",
	},
	{
		Hold:   HeldServers,
		why:    "{beyond} beyond the cluster still run, and two batches are the most",
		status: "held: {beyond} beyond the cluster still run, so {nodes} wait",
		title:  TooManyServers, notice: "{beyond} that leave still run, and there may be two batches of them. They keep {count} " +
			"from being replaced: {nodes}. An apply that ends without an error destroys them. If no server of this template gets into " +
			"service, give another template, or name the nodes in candidates.",
	},
	{
		Hold:   HeldBakes,
		why:    "the batch before it has to serve for longer: {baking}",
		status: "bakes: {baking} must be in service for longer",
		title:  BatchBakes, notice: "{remaining} more should be replaced. These have to be in service for as long as " +
			"update.pause first: {baking}. Apply again then.",
	},
	{
		Hold: HeldWaits,
		why:  "the batch waits for {waited for}",
	},
	{
		Hold: HeldBatch, quiet: true,
		why: "{batch}",
	},
}

// words are what is filled into the sentences about the nodes that a hold holds; a sentence
// about one node has it alone.
var words = map[string]func(p *speech, list Verdicts) string{
	"count":     func(_ *speech, list Verdicts) string { return text.Nodes(int64(len(list))) },
	"remaining": func(p *speech, _ Verdicts) string { return text.Nodes(p.remaining) },
	"nodes":     func(_ *speech, list Verdicts) string { return text.Few(list.Names()) },
	"nodes with places": func(_ *speech, list Verdicts) string {
		return each(list, func(v Verdict) string { return v.Place.String() })
	},
	"protected":         func(_ *speech, list Verdicts) string { return list[0].want.protected },
	"ill and protected": func(_ *speech, list Verdicts) string { return illProtected(list) },
	"kept":              func(p *speech, _ Verdicts) string { return text.Nodes(int64(len(p.kept()))) },
	"who is kept":       func(p *speech, _ Verdicts) string { return text.Few(p.kept()) },
	"carried":           func(_ *speech, list Verdicts) string { return clip(list[0].want.server.InService) },
	"loose":             func(_ *speech, list Verdicts) string { return list[0].want.loose },
	"place":             func(_ *speech, list Verdicts) string { return list[0].no.at.String() },
	"shut":              func(_ *speech, list Verdicts) string { return list[0].no.why },
	"unseen":            func(_ *speech, list Verdicts) string { return unseen(list[0]) },
	"outage":            func(p *speech, _ Verdicts) string { return p.outage() },
	"twice":             func(_ *speech, list Verdicts) string { return twice(list[0]) },
	"target":            func(p *speech, _ Verdicts) string { return p.policy.Update.Target.String() },
	"method":            func(p *speech, _ Verdicts) string { return fmt.Sprintf("%q", p.policy.Update.Method) },
	"room":              func(_ *speech, list Verdicts) string { return detail(list[0].no.err) },
	"beyond":            func(p *speech, _ Verdicts) string { return text.Count(p.beyond(&fact{}), "server") },
	"baking":            func(p *speech, _ Verdicts) string { return text.Few(p.baking) },
	"waited for":        func(p *speech, list Verdicts) string { return p.waitedFor(list[0].Name) },
	"batch":             func(p *speech, _ Verdicts) string { return p.fullBatch() },
}

var brace = regexp.MustCompile(`\{[^}]*\}`)

// fill fills the words into a sentence about nodes.
func (p *speech) fill(sentence string, list ...Verdict) string {
	return brace.ReplaceAllStringFunc(sentence, func(word string) string {
		if word == "{nodes with why}" {
			return each(list, p.whyHeld)
		}
		return words[word[1:len(word)-1]](p, list)
	})
}

// whyHeld says what holds a node.
func (p *speech) whyHeld(v Verdict) string { return p.fill(holds[v.Hold.order()].why, v) }
