package placementtf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/nodes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/learn"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/planner"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/say"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/verdict"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// refresh reads the servers of the remembered nodes. It reports false if it found out
// nothing, so that the state stays unchanged.
func (m *attachmentModel) refresh(
	ctx context.Context, b *backend.Backend, before memory, diags *diag.Diagnostics,
) (roster.Roster, memory, bool) {
	r := m.roster(before, diags)
	after := before
	if len(r.Nodes)+len(r.Leaving) == 0 {
		_, after.Seen, _ = learn.Match(r, nil, before.Seen, nil, nil) // keeps what failed
		after.Sources = sources{}
		m.sources = after.Sources
		learn.NoteTimes(&after.Seen, r, m.policy(ctx, nil, after.Marked, diags), time.Now())
		return r.Ordered(), after, true
	}
	l := m.look(ctx, b, r, before.Seen, diags)
	if l == nil {
		return r, before, false
	}
	after.Blind = false
	handed := r.Nodes
	zoned := func(region string) bool { return placement.Zoned(l.listed, region) }
	r, seen, matches := learn.Match(r, l.servers, before.Seen, l.closed, zoned)
	if !l.lookUp(ctx, r.Counts(), &after, diags) {
		return r, before, false
	}
	after.Wires = checkWires(ctx, l.cloud, wires{handed, r, before, seen, l.listed, l.closed}, diags)
	seen.Taken = r.Taken(m.naming(), l.Others)
	after.see(r, seen)
	m.noteFound(b, r, seen)
	m.seeVolumes(ctx, l.cloud, r, l.closed, diags)
	r, after.Sources = m.lookAgain(ctx, l.cloud, r, before.Sources, seen.Missing, l.closed, diags)
	policy := m.policy(ctx, nil, after.Marked, diags)
	learn.NoteTimes(&after.Seen, r, policy, time.Now())
	for _, n := range say.Matched(matches) {
		diags.AddWarning(n.Title, n.Text)
	}
	warnOfFuture(r, seen, policy, diags)
	return learn.Learn(r, seen, policy).Ordered(), after, true
}

// warnOfFuture warns of marks with a time that is ahead of the cloud's clock, if pause counts from it. Clocks of one
// cloud may differ by a minute.
func warnOfFuture(r roster.Roster, seen roster.Seen, policy roster.Policy, diags *diag.Diagnostics) {
	var names []string
	for _, name := range r.Names() {
		s := seen.Servers[name]
		if !s.SeenAt.IsZero() && s.InServiceAt.Sub(s.SeenAt) > time.Minute {
			names = append(names, fmt.Sprintf("%s (%s)", name, s.InServiceAt.UTC().Format(time.RFC3339)))
		}
	}
	if len(names) > 0 && policy.Pauses() && policy.RequireMarks {
		diags.AddWarning("Marks are from the future", fmt.Sprintf("The time in stackpolicy_in_service_at is ahead of "+
			"the cloud's clock for these nodes: %s. So it is not known how long they have been in service, and pause "+
			"does not count for them. If the clock was not set back, somebody else wrote that time: correct or remove "+
			"it.", text.Few(names)))
	}
}

// look is a look at the servers of the nodes.
type look struct {
	cluster.Query
	cloud   *openstack.Cloud
	listed  []placement.Region
	closed  func(region string) bool
	servers []node.Node
}

// look reads the servers of the nodes, and asks whether they are healthy. It returns nil if it found out nothing.
func (m *attachmentModel) look(
	ctx context.Context, b *backend.Backend, r roster.Roster, before roster.Seen, diags *diag.Diagnostics,
) *look {
	l := &look{cloud: b.Get(ctx, diags), listed: m.listedRegions()}
	l.closed = closedRegions(l.listed)
	l.Query = m.query(ctx, r, before, l.closed, diags)
	wants := wanted(r)
	l.Attached = value.GivenBlock(m.Health) || len(wants) > 0
	if diags.HasError() {
		return nil
	}
	var err error
	if len(l.Regions) > 0 {
		l.servers, err = cluster.Read(ctx, l.cloud, l.Query)
	}
	if gone, ok := errors.AsType[*cluster.GroupGoneError](err); ok {
		diags.AddAttributeWarning(path.Root("selector").AtName("servergroup_id"),
			"The server group of the selector is gone",
			gone.Error()+": no server was read, and the last refresh still counts. Correct or remove servergroup_id.")
		return nil
	}
	if err != nil {
		reportRead(err, diags)
		return nil
	}
	m.lookAfter(ctx, b.Hooks(), l, diags)
	l.compare(ctx, wants, before)
	return l
}

// lookUp remembers which of the listed places take nodes, including zones that may be hidden.
func (l *look) lookUp(ctx context.Context, nodes placement.Counts, after *memory, diags *diag.Diagnostics) bool {
	also := places.Listed{Regions: l.listed}.Also(nodes).Regions[:len(l.listed)]
	looked, findings, err := cluster.LookUp(ctx, l.cloud, also, nodes)
	if err != nil {
		diags.AddError("Unable to look up regions and availability zones", err.Error())
		return false
	}
	after.lookAt(looked, findings)
	return true
}

// noteFound notes servers for which nobody has ever waited, and all after an import: Terraform may not know them.
func (m *attachmentModel) noteFound(b *backend.Backend, r roster.Roster, seen roster.Seen) {
	for name, n := range r.Nodes {
		if s := seen.Servers[name]; s.Unclaimed() || r.Adopted && s.ID != "" {
			found := backend.Unclaimed{
				IDs:     append(slices.Clone(seen.Strays[name]), s.ID),
				Mark:    string(n.Mark),
				Adopted: r.Adopted,
			}
			b.Walk().Found.Note(backend.Member{In: m.Cluster.ValueString(), Name: name}, found)
		}
	}
}

// foresee plans from the memory alone, and sends no request.
func (m *attachmentModel) foresee(
	ctx context.Context, r roster.Roster, mem memory, diags *diag.Diagnostics,
) (planner.Change, error) {
	policy := m.policy(ctx, m, mem.Marked, diags)
	for i, region := range policy.Regions {
		policy.Regions[i], _, _ = mem.recall(region)
	}
	if mem.Open != nil {
		policy.Regions = mem.Open
	}
	policy.Unreachable = unreachable(policy.Regions)
	_, change, err := planner.Plan(r, mem.Seen, mem.complete(policy))
	return change, err
}

// setStatus sets the status and the held nodes after a refresh, and sets remaining to 0 if the cluster
// is in step. It sends no further request.
func (m *attachmentModel) setStatus(ctx context.Context, r roster.Roster, after *memory, diags *diag.Diagnostics) {
	if after.fingerprint() != after.AwaitedIn {
		after.Awaited = nil // the apply did something, and may have failed before it did the rest
	}
	change, err := m.foresee(ctx, r, *after, diags)
	if err != nil {
		return // the plan says why
	}
	await := slices.Concat(change.Absent, change.With(verdict.Leaves).Names()) // a plan gives up what nobody knows
	after.Awaited = slices.DeleteFunc(slices.Clone(after.Awaited),
		func(name string) bool { return !slices.Contains(await, name) })
	m.setPhase(change.Now)
	m.hold(change)
	if m.inStep() && m.Remaining.ValueInt64() > 0 {
		// A server that is made again in its place remains until a refresh sees that it is healthy. No plan would
		// store that it no longer remains, because nothing changes.
		m.Remaining = types.Int64Value(0)
	}
}

// see remembers the servers that a refresh saw. Only a node's own mark counts as a mark, and
// not any other value under the key of marks.
func (m *memory) see(r roster.Roster, seen roster.Seen) {
	m.Seen = seen
	for name, s := range seen.Servers {
		m.Marked = m.Marked || s.InService != "" && s.InService == string(r.Nodes[name].Mark)
	}
}

// query returns the query for the servers with the names of the nodes, except in closed
// regions.
func (m attachmentModel) query(
	ctx context.Context, r roster.Roster, before roster.Seen, closed func(region string) bool, diags *diag.Diagnostics,
) cluster.Query {
	byProfile := m.deletion(ctx, diags).Criteria.ValueString() == string(deletion.OldestProfileFirst) &&
		len(m.templates()) == 0
	q := cluster.Query{
		Remembered: map[string]string{},
		Others:     map[string]bool{},
		Next:       m.naming().Name(r.Next),
		NoProfiles: !byProfile,
		Faults:     true,
	}
	for name, server := range before.Servers {
		q.Remembered[server.ID] = name
	}
	if selector := value.Object[nodes.Selector](ctx, m.Selector, diags); selector != nil {
		q.Selector = selector.Selector(ctx, diags)
	}
	regions := map[string]bool{}
	for _, known := range []map[string]roster.Node{r.Nodes, r.Leaving} {
		for name, n := range known {
			if !closed(n.Region) {
				regions[n.Region] = true
				q.Names = append(q.Names, name)
			}
		}
	}
	q.Regions = slices.Collect(maps.Keys(regions))
	slices.Sort(q.Names)
	return q
}

// reportRead reports a cluster that could not be read.
func reportRead(err error, diags *diag.Diagnostics) {
	nodes.ReportRead(err, path.Root("selector").AtName("servergroup_id"),
		"To work without a region that cannot be reached, set closed = true for it in regions, and apply with "+
			"-refresh=false: its nodes stay as they are. Do not remove it from regions: nodes in places that are "+
			"not listed are the first to be removed. If it is lost for good, name its nodes in deletion.kept, "+
			"including nodes that leave already, and apply with -refresh=false.",
		diags)
}

// lookAfter checks the services of the servers, and notes unhealthy servers. It
// skips servers that are too young or do not run.
func (m attachmentModel) lookAfter(ctx context.Context, hooks *hook.Runner, l *look, diags *diag.Diagnostics) {
	check, grace := m.health(ctx, diags)
	if check == nil {
		return
	}
	if check.HTTP != nil {
		check.HTTP.Client = hooks.HTTP
	}
	check.Members = func(ctx context.Context, region, pool string) ([]openstack.Member, error) {
		members, err := l.cloud.Members(ctx, region, pool)
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return nil, nil
		}
		return members, err
	}
	var old []node.Node
	for _, s := range l.servers {
		since := s.LaunchedAt
		if since.IsZero() {
			since = s.CreatedAt
		}
		if s.Status == "ACTIVE" && !since.IsZero() && s.SeenAt.Sub(since) >= grace {
			old = append(old, s)
		}
	}
	result := check.Look(ctx, old)
	for _, warning := range result.Warnings {
		diags.AddAttributeWarning(atHealth, "The health of nodes is not known", warning)
	}
	for i, s := range l.servers {
		l.servers[i].Unwell, l.servers[i].HealthUnknown = result.Unhealthy[s.ID], result.Unknown[s.ID]
	}
}

// unreachable returns the regions that do not answer.
func unreachable(regions []placement.Region) map[string]bool {
	names := map[string]bool{}
	for _, r := range regions {
		names[r.Name] = r.Closed
	}
	return names
}
