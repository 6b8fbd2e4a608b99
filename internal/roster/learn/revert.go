package learn

import (
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// A template that gets no server into service is taken back by itself. What says
// so must be evidence, because a pipeline may stand still for a night: a wait for a
// server of it ended without that server, long after its launch, while the server
// ran. Time that passes while nobody waits proves nothing.
//
// A rollout is taken back as a whole: where the template of one place fails, the
// settled templates are wanted in all places, so that a cluster has one version.

// MaxFailures bounds how many failed templates are remembered.
const MaxFailures = 20

// learnFailures remembers which of the wanted templates failed, and forgets that of
// those that are settled, which had their servers in service after all.
func learnFailures(r roster.Roster, seen roster.Seen, policy roster.Policy) []roster.Failure {
	u := policy.Update
	if u == nil || u.RevertAfter <= 0 {
		return nil
	}
	settled := map[string]bool{}
	for _, t := range r.Settled {
		settled[t.Hash()] = true
	}
	failed := slices.DeleteFunc(slices.Clone(r.Failed), func(f roster.Failure) bool { return settled[f.Template] })
	var found []roster.Failure
	for _, name := range r.Names() {
		n := r.Nodes[name]
		after := lateness(name, n, seen, policy)
		if after < u.RevertAfter || n.Template != policy.Templates.At(n.Place) || n.Template == r.Settled.At(n.Place) {
			continue
		}
		hash := n.Template.Hash()
		if !slices.ContainsFunc(slices.Concat(failed, found),
			func(f roster.Failure) bool { return f.Template == hash }) {
			found = append(found, roster.Failure{Template: hash, Node: name, After: after})
		}
	}
	if len(found) > 0 && !disturbed(r, seen, policy) {
		failed = append(failed, found...)
	}
	return failed[max(0, len(failed)-MaxFailures):]
}

// disturbed reports whether so many nodes are unhealthy, or have servers that do not
// run, that this looks like an outage: then nothing is the fault of a template.
func disturbed(r roster.Roster, seen roster.Seen, policy roster.Policy) bool {
	var sick int64
	for name, n := range r.Nodes {
		server, there := seen.Servers[name]
		if there && (!facts.Runs(server) || facts.FactOf(name, n, r, seen, policy).Unhealthy()) {
			sick++
		}
	}
	return policy.Stops(sick)
}

// lateness is how long after its launch a wait for a server ended without it, where
// the node never was in service since it was made or changed; 0 otherwise. A server that was
// drained, or that did not follow its node to the template, says nothing of the template.
func lateness(name string, n roster.Node, seen roster.Seen, policy roster.Policy) time.Duration {
	server := seen.Servers[name]
	never := facts.Noted(n, server) && !n.Served && !facts.Served(seen, name, n, policy)
	if !policy.RequireMarks || !never || server.Status != "ACTIVE" || server.Drained || seen.Lags(name, n) {
		return 0
	}
	since, ended := launched(server), server.NotInServiceAt
	if since.IsZero() || ended.IsZero() || ended.After(server.SeenAt) { // the clock was set back since
		return 0
	}
	return ended.Sub(since)
}
