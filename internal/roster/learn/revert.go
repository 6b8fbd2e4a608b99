package learn

import (
	"slices"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/facts"
)

// The planner goes back by itself from a template that gets no server into service. It needs
// evidence, because a pipeline may stand still for a night: a wait ended without a server of
// the template, long after the server's launch, while the server ran. Time that passes while
// nobody waits proves nothing.
//
// A rollout goes back as a whole: if the template of one place fails, the settled templates are
// wanted in all places, so that a cluster has one version.

// MaxFailures is the maximum number of failed templates that are remembered.
const MaxFailures = 20

// learnFailures returns the failed templates: the earlier ones and the ones that this look
// shows. It forgets settled templates, whose servers were in service after all.
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

// disturbed reports whether so many nodes are unhealthy, or have servers that do not run, that
// this looks like an outage: then no template is to blame.
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

// lateness returns the time from the launch of a server to the end of the wait that ended without
// it, if the node never was in service since it was made or changed, else 0. A server that was
// drained, or that did not follow its node, says nothing about the template.
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
