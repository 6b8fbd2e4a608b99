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
func learnFailures(r roster.Roster, all facts.Facts, seen roster.Seen, policy roster.Policy) []roster.Failure {
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
	for _, f := range all.ByIndex() {
		after := lateness(f, policy)
		if after < u.RevertAfter || f.Outdated || f.Template == r.Settled.At(f.Place) || seen.Lags(f.Name, f.Node) {
			continue
		}
		hash := f.Template.Hash()
		if !slices.ContainsFunc(slices.Concat(failed, found),
			func(f roster.Failure) bool { return f.Template == hash }) {
			found = append(found, roster.Failure{Template: hash, Node: f.Name, After: after})
		}
	}
	// If so many nodes are unhealthy, or have servers that do not run, that this looks like an outage,
	// no template is to blame.
	sick := all.Number(func(f *facts.Fact) bool { return f.Server.ID != "" && (!f.Runs() || f.Unhealthy()) })
	if !policy.Stops(sick) {
		failed = append(failed, found...)
	}
	return failed[max(0, len(failed)-MaxFailures):]
}

// lateness returns the time from the launch of a server to the end of the wait that ended without
// it, if the node never was in service since it was made or changed, else 0. A server that was
// drained, or that did not follow its node, says nothing about the template.
func lateness(f *facts.Fact, policy roster.Policy) time.Duration {
	server := f.Server
	if !policy.RequireMarks || !f.Noted() || f.Served || server.Status != "ACTIVE" || server.Drained {
		return 0
	}
	since, ended := launched(server), server.NotInServiceAt
	if since.IsZero() || ended.IsZero() || ended.After(server.SeenAt) { // the clock was set back since
		return 0
	}
	return ended.Sub(since)
}
