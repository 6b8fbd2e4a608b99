package roster

import (
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// A template that gets no server into service is taken back by itself. What says
// so must be evidence, because a pipeline may stand still for a night: a wait for a
// server of it ended without that server, long after its launch, while the server
// ran. Time that passes while nobody waits proves nothing.
//
// A rollout is taken back as a whole: where the template of one place fails, the
// settled templates are wanted in all places, so that a cluster has one version.

// Failure is a template that failed. Once it is found nothing in it changes.
type Failure struct {
	Template string        `json:"template"` // its hash: see [Mark]
	Node     string        `json:"node"`     // whose server was not in service
	After    time.Duration `json:"after"`    // from the launch of that server to the end of the wait for it
}

// maxFailures bounds how many failed templates are remembered.
const maxFailures = 20

// learnFailures remembers which of the wanted templates failed, and forgets that of
// those that are settled, which had their servers in service after all.
func (r Roster) learnFailures(seen Seen, policy Policy) []Failure {
	u := policy.Update
	if u == nil || u.RevertAfter <= 0 {
		return nil
	}
	settled := map[string]bool{}
	for _, t := range r.Settled {
		settled[t.hash()] = true
	}
	failed := slices.DeleteFunc(slices.Clone(r.Failed), func(f Failure) bool { return settled[f.Template] })
	var found []Failure
	for _, name := range r.Names() {
		n := r.Nodes[name]
		after := lateness(name, n, seen, policy)
		if after < u.RevertAfter || n.Template != policy.Templates.At(n.Place) || n.Template == r.Settled.At(n.Place) {
			continue
		}
		hash := n.Template.hash()
		if !slices.ContainsFunc(slices.Concat(failed, found), func(f Failure) bool { return f.Template == hash }) {
			found = append(found, Failure{hash, name, after})
		}
	}
	if len(found) > 0 && !r.disturbed(seen, policy) {
		failed = append(failed, found...)
	}
	return failed[max(0, len(failed)-maxFailures):]
}

// disturbed reports whether so many nodes are unhealthy, or have servers that do not
// run, that this looks like an outage: then nothing is the fault of a template.
func (r Roster) disturbed(seen Seen, policy Policy) bool {
	var sick int64
	for name, n := range r.Nodes {
		server, there := seen.Servers[name]
		if there && (!runs(server) || factOf(name, n, r, seen, policy).unhealthy()) {
			sick++
		}
	}
	return policy.stops(sick)
}

// lateness is how long after its launch a wait for a server ended without it, where
// the node never was in service since it was made or changed; 0 otherwise. A server that was
// drained, or that did not follow its node to the template, says nothing of the template.
func lateness(name string, n Node, seen Seen, policy Policy) time.Duration {
	server := seen.Servers[name]
	never := noted(n, server) && !n.Served && !seen.served(name, n, policy)
	if !policy.RequireMarks || !never || server.Status != "ACTIVE" || server.Drained || seen.behind(name, n) {
		return 0
	}
	since, ended := launched(server), server.NotInServiceAt
	if since.IsZero() || ended.IsZero() || ended.After(server.SeenAt) { // the clock was set back since
		return 0
	}
	return ended.Sub(since)
}

// Wanted are the templates that the nodes of a cluster should have: the given ones
// or, where they failed, the settled ones.
func (r Roster) Wanted(policy Policy) Templates { return r.judge(policy).wanted }

// failing is what failed templates mean for a plan.
type failing struct {
	failures []Failure // of the given templates; none: they are wanted
	places   []placement.Place
	given    Templates
	wanted   Templates
	holds    bool // there is nothing to go back to
}

// judge looks for the given templates among the failed ones. A settled template does not
// count as failed.
func (r Roster) judge(policy Policy) failing {
	v := failing{given: policy.Templates, wanted: policy.Templates}
	if u := policy.Update; u == nil || u.RevertAfter <= 0 || len(r.Failed) == 0 {
		return v
	}
	v.holds = true
	for _, at := range r.places(policy.Regions) {
		given, settled := policy.Templates.At(at), r.Settled.At(at)
		if given == settled {
			continue
		}
		hash := given.hash()
		i := slices.IndexFunc(r.Failed, func(f Failure) bool { return f.Template == hash })
		if i < 0 {
			continue
		}
		if !slices.Contains(v.failures, r.Failed[i]) {
			v.failures = append(v.failures, r.Failed[i])
		}
		v.places = append(v.places, at)
		v.holds = v.holds && settled == ""
	}
	if len(v.failures) > 0 && !v.holds {
		v.wanted = r.Settled.or(policy.Templates)
	}
	v.holds = v.holds && len(v.failures) > 0
	return v
}

// over is the policy as it is then. Going back knows no target: a canary
// that failed is taken back too.
func (v failing) over(policy Policy) Policy {
	if len(v.failures) == 0 {
		return policy
	}
	u := *policy.Update
	u.holds = v.holds
	if !v.holds {
		u.Target = Amount{number: big.NewRat(100, 1), percent: true}
	}
	policy.Templates, policy.Update = v.wanted, &u
	return policy
}

// places are those that are listed and those of the nodes, in order.
func (r Roster) places(listed []placement.Region) []placement.Place {
	all := map[placement.Place]bool{}
	for _, region := range listed {
		if len(region.Zones) == 0 {
			all[placement.Place{Region: region.Name}] = true
		}
		for _, zone := range region.Zones {
			all[placement.Place{Region: region.Name, Zone: zone.Name}] = true
		}
	}
	for _, n := range r.Nodes {
		all[n.Place] = true
	}
	return slices.SortedFunc(maps.Keys(all), placement.Place.Compare)
}

// or are the templates, and others for the places that have none.
func (t Templates) or(others Templates) Templates {
	all := maps.Clone(t)
	for at, template := range others {
		if t.At(at) == "" {
			all[at] = template
		}
	}
	return all
}
