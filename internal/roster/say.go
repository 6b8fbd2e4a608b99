package roster

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// why says why a node is not in service; "" for one that is.
func (f *fact) why() string {
	s := f.server
	switch {
	case f.is == Serving:
		return ""
	case f.missing:
		return "no server of its name was found"
	case !f.looked:
		return "no refresh has looked at it since it changed"
	case s.Status == "ERROR" && s.Fault != "":
		return fmt.Sprintf("its server is in ERROR (%s)", clip(s.Fault))
	case s.Deleting:
		return "its server is being deleted"
	case !runs(s):
		return "its server is in " + s.Status
	case s.Drained:
		return "its server was drained"
	case s.Unwell != "":
		return fmt.Sprintf("its service is unhealthy (%s)", clip(s.Unwell))
	case f.former:
		return isFormer
	case f.lags:
		return "its server is still what it was before the node changed"
	case f.is == Late:
		return "a wait for it ended before it was in service"
	case s.InService == "":
		return "it is not marked as in service"
	}
	return fmt.Sprintf("it is marked as in service with %s, not %s", clip(s.InService), f.Mark)
}

const isFormer = "its server should have been made again, and is still the former one"

// illness says why the server of a node should be replaced.
func (f *fact) illness() string {
	if f.is != Failing && f.is != Broken && f.server.Tainted {
		return "it is marked as tainted"
	}
	return f.why()
}

// reasonOf says why a node should be replaced.
func (p *planning) reasonOf(w want) string {
	switch {
	case w.what == givenUp:
		return fmt.Sprintf("%s, and so was the node before it; %s comes back", w.fact.why(), w.back)
	case w.what == revised && w.back != "":
		return fmt.Sprintf("%s; it never served, and %s comes back", p.texts.of(w.Template, w.to), w.back)
	case w.cause == Outdated && w.fresh():
		return p.texts.of(w.Template, w.to) + "; it never served"
	case w.cause == Unhealthy:
		return w.illness()
	case w.cause == Outdated:
		return p.texts.of(w.Template, w.to)
	case w.cause == TooOld:
		return "its server was launched on " + w.aged.UTC().Format(time.DateOnly)
	case w.cause == Misplaced:
		return cmp.Or(w.beyond, w.better.String()+" is a better place")
	}
	return "named in candidates"
}

// holdOf says what holds a node.
func (p *planning) holdOf(v Verdict) string {
	if say := said[v.Hold].why; say != nil {
		return say(p, v)
	}
	return string(v.Hold)
}

// sentence says of a node that is held why it should be replaced, and what holds it.
func (p *planning) sentence(v Verdict) string {
	reason := p.reasonOf(v.want)
	if v.Cause == "" {
		return fmt.Sprintf("%s in %s; %s", reason, v.Place, p.holdOf(v))
	}
	return fmt.Sprintf("%s in %s: %s; %s", v.Cause, v.Place, reason, p.holdOf(v))
}

// said has the sentences about each hold: what holds a node, what the status of the cluster
// says ("" for nothing), and the notice of a plan.
var said = map[Hold]saying{
	HeldBegins: {
		why: fixed("the update begins with the next apply"),
		notice: func(_ *planning, c Change, list []Verdict) (Title, string) {
			return UpdateBegins, fmt.Sprintf("%s should be replaced, and this apply replaces none: Terraform must "+
				"first have stored what the servers depend on, and their lifecycle. The next apply takes the first "+
				"batch.", text.Nodes(max(c.Remaining, int64(len(list)))))
		},
	},
	HeldOlder: {
		why: func(_ *planning, v Verdict) string {
			return fmt.Sprintf("its server carries the later mark %s: this state is older than the cluster",
				clip(v.want.server.InService))
		},
		status: func(_ Change, list []Verdict) string {
			return "held: this state is older than the servers of " + text.Few(namesOf(list))
		},
		notice: func(_ *planning, _ Change, list []Verdict) (Title, string) {
			return OlderState, fmt.Sprintf("The servers of %s carry later marks or generations than this state has: "+
				"%s. They were changed by an apply that this state does not know. Nothing is replaced there. Restore "+
				"the newest state, or import the cluster again. If somebody else wrote those marks, name the nodes in "+
				"candidates.", text.Nodes(int64(len(list))), text.Few(namesOf(list)))
		},
	},
	HeldWiring: {
		why: func(_ *planning, v Verdict) string { return "wiring: " + v.want.loose },
		status: func(_ Change, list []Verdict) string {
			return fmt.Sprintf("held: wiring of %s: %s", text.Few(namesOf(list)), list[0].want.loose)
		},
	},
	HeldProtected: {
		why: func(_ *planning, v Verdict) string { return "it " + v.want.protected },
		status: func(_ Change, list []Verdict) string {
			for _, v := range list {
				if v.Cause == Unhealthy {
					return fmt.Sprintf("held: %s is unhealthy and %s", v.Name, v.want.protected)
				}
			}
			return ""
		},
		notice: func(_ *planning, c Change, _ []Verdict) (Title, string) {
			if len(c.kept) == 0 {
				return "", ""
			}
			return ProtectedOutdated, fmt.Sprintf("%s of another template than the wanted one will not be replaced: %s.",
				text.Nodes(int64(len(c.kept))), text.Few(c.kept))
		},
	},
	HeldClosed: {
		why:    func(_ *planning, v Verdict) string { return nowhere(v) },
		status: func(_ Change, list []Verdict) string { return "held: " + each(list, nowhere) },
		notice: func(p *planning, _ Change, list []Verdict) (Title, string) {
			if p.taken > 0 {
				return "", ""
			}
			return PlacesClosed, fmt.Sprintf("%s should be replaced, and their places take no nodes now: %s. They stay "+
				"as they are until their places take nodes again; the next plan goes on then by itself.",
				text.Nodes(int64(len(list))), each(list, nowhere))
		},
	},
	HeldUnseen: {
		why:    func(_ *planning, v Verdict) string { return unseen(v) },
		status: func(_ Change, list []Verdict) string { return "held: " + each(list, unseen) },
		notice: func(p *planning, _ Change, list []Verdict) (Title, string) {
			return NotSeen, fmt.Sprintf("%s should be replaced, and it is not known what they do now: %s. Plan without "+
				"-refresh=false.", text.Nodes(int64(len(list))), each(list, unseen))
		},
	},
	HeldOutage: {
		why:    func(p *planning, _ Verdict) string { return p.outage() },
		status: func(c Change, _ []Verdict) string { return "held: " + c.outage },
		notice: func(p *planning, _ Change, _ []Verdict) (Title, string) {
			return TooManyUnhealthy, fmt.Sprintf("%s: so none is replaced for that, and none that may serve for another "+
				"cause. Look at the cloud first; raise stop_above to replace them anyway, or name some in candidates.",
				capital(p.outage()))
		},
	},
	HeldFailed: {
		why: fixed("the template that it should get failed, and none is settled"),
		status: func(_ Change, list []Verdict) string {
			return "held: the template that " + text.Few(namesOf(list)) + " should get failed"
		},
	},
	HeldFormer: {
		why: fixed(isFormer),
		status: func(_ Change, list []Verdict) string {
			return "held: the servers of " + text.Few(namesOf(list)) + " did not follow their nodes"
		},
	},
	HeldTwice: {
		why: func(_ *planning, v Verdict) string {
			if v.Cause == Outdated {
				return "two servers of that template ended in ERROR in its place: change the template, or name it in candidates"
			}
			return "it did not last, nor did the one before it: change the template, or name it in candidates"
		},
		status: func(_ Change, list []Verdict) string {
			return "held: " + text.Few(namesOf(list)) + " did not last, nor did what they replaced"
		},
		notice: func(_ *planning, _ Change, list []Verdict) (Title, string) {
			return MadeTwice, fmt.Sprintf("%s: two servers, one after the other, did not get into service or did not stay "+
				"there: %s. There is no third. Change the template, or name the nodes in candidates to try once more.",
				text.Nodes(int64(len(list))), each(list, func(v Verdict) string { return string(v.Cause) }))
		},
	},
	HeldTarget: {
		why: func(p *planning, _ Verdict) string {
			return fmt.Sprintf("as many nodes have the wanted template as target (%s) says", p.policy.Update.Target)
		},
	},
	HeldNoHost: {
		why:    func(_ *planning, v Verdict) string { return fmt.Sprintf("Nova found no host for it in %s", v.no.at) },
		status: func(_ Change, list []Verdict) string { return "held: Nova found no host for " + each(list, inPlaceOf) },
		notice: func(p *planning, _ Change, list []Verdict) (Title, string) {
			return NoHost, fmt.Sprintf("Nova found no host for the servers of %s: %s. With method = %q a node keeps its "+
				"place, so it is made again there once retry_full_after is over. Make room, or remove the node, so that "+
				"another one comes where room is.", text.Nodes(int64(len(list))), each(list, inPlaceOf),
				p.policy.Update.Method)
		},
	},
	HeldNoRoom: {
		why: func(_ *planning, v Verdict) string { return detail(v.no.err) },
		status: func(_ Change, list []Verdict) string {
			return "held: no room for the substitutes of " + text.Few(namesOf(list))
		},
		notice: func(_ *planning, _ Change, list []Verdict) (Title, string) {
			return NoRoom, fmt.Sprintf("%s should be replaced now, and there is no room for substitutes: %s. %s Raise a "+
				"cap, or list another place.", text.Nodes(int64(len(list))), text.Few(namesOf(list)), detail(list[0].no.err))
		},
	},
	HeldServers: {
		why: func(p *planning, _ Verdict) string {
			return fmt.Sprintf("%d servers beyond the cluster still run, and two batches are the most", p.beyond(&fact{}))
		},
		status: func(_ Change, list []Verdict) string {
			return "held: two batches of servers beyond the cluster still run, so " + text.Few(namesOf(list)) + " wait"
		},
		notice: func(p *planning, _ Change, list []Verdict) (Title, string) {
			return TooManyServers, fmt.Sprintf("%d servers that leave still run, and there may be two batches of them "+
				"(%d). So %s not replaced: %s. An apply that ends without an error destroys them. If no server of this "+
				"template gets into service, give another template, or name the nodes in candidates.",
				p.beyond(&fact{}), 2*p.size, isOrAre(int64(len(list))), text.Few(namesOf(list)))
		},
	},
	HeldBakes: {
		why: func(p *planning, _ Verdict) string {
			return "the batch before it has to serve for longer: " + text.Few(p.baking)
		},
		status: func(c Change, _ []Verdict) string {
			return "bakes: " + text.Few(c.bakes) + " must be in service for longer"
		},
		notice: func(p *planning, c Change, _ []Verdict) (Title, string) {
			return BatchBakes, fmt.Sprintf("%s more should be replaced. These have to be in service for as long as "+
				"update.pause first: %s. Apply again then.", text.Nodes(c.Remaining), text.Few(p.baking))
		},
	},
	HeldWaits: {
		why: func(p *planning, v Verdict) string {
			names := p.waits(1).without(v.Name)
			if len(names) == 0 {
				return "the batch waits for what this plan changes"
			}
			return "the batch waits for " + text.Few(names)
		},
	},
	HeldBatch: {
		why: func(p *planning, _ Verdict) string {
			if p.taken < p.size {
				return "others are replaced first"
			}
			return fmt.Sprintf("the batch is full (%d at a time)", p.size)
		},
	},
}

// saying has the sentences about a hold.
type saying struct {
	why    func(p *planning, v Verdict) string
	status func(c Change, list []Verdict) string
	notice func(p *planning, c Change, list []Verdict) (Title, string)
}

// fixed is a sentence that is the same for all nodes.
func fixed(why string) func(*planning, Verdict) string {
	return func(*planning, Verdict) string { return why }
}

// inPlaceOf is the place of a node.
func inPlaceOf(v Verdict) string { return v.Place.String() }

// nowhere says why the place of a node takes no nodes.
func nowhere(v Verdict) string { return where(v.no.at, v.no.why) }

// unseen says why it is not known what a node does.
func unseen(v Verdict) string {
	if v.want.looked {
		return "Nova does not know the state of its server now (UNKNOWN)"
	}
	return "no refresh has looked at it since it changed"
}

// each lists nodes with something about each: "web-1 (RegionOne/az-1 is closed)".
func each(list []Verdict, about func(Verdict) string) string {
	var names []string
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s (%s)", v.Name, about(v)))
	}
	return text.Few(names)
}

// outage says how many nodes are unhealthy, or not known.
func (p *planning) outage() string {
	u := p.policy.Update
	if p.policy.stops(p.sick) || u == nil {
		return fmt.Sprintf("%d of %s are unhealthy, more than stop_above (%s) allows", p.sick, text.Nodes(p.total), u.StopAbove)
	}
	return fmt.Sprintf("%d of %s are unhealthy or nothing is known of them, more than stop_above (%s) allows",
		p.sick+p.unknown, text.Nodes(p.total), u.StopAbove)
}

// where says of a place why it takes no nodes.
func where(at placement.Place, why string) string { return fmt.Sprintf("%s %s", at, why) }

// detail returns what a sentence says about an error.
func detail(err error) string {
	if infeasible, ok := errors.AsType[*placement.InfeasibleError](err); ok {
		return infeasible.Detail()
	}
	return err.Error()
}

// clip shortens a text of Nova's.
func clip(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "..."
	}
	return text
}
