package readinesstf

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
)

// view is the result of a look at the cloud.
type view struct {
	cloud    *openstack.Cloud
	region   string // region of servers without one
	nodes    map[string]readiness.Node
	before   map[string]readiness.Node // nodes of the other model, in the regions of nodes
	snapshot []node.Node
}

// note adds to a node the notes in its server's metadata.
func (v view) note(n *readiness.Node) {
	i := slices.IndexFunc(v.snapshot, func(s node.Node) bool { return s.Region == n.Region && s.ID == n.ID })
	if i >= 0 {
		s := v.snapshot[i]
		n.Drained, n.Failed, n.Late = s.Drained || s.Draining, !s.NotInServiceAt.IsZero(), s.NotInService == n.Mark
	}
}

// look reads the servers of a model, and of another model if that is not nil, in all
// regions of the model at once. A region that only the other model names is not asked:
// its nodes may have been removed because the region does not answer.
func (r *attachmentResource) look(
	ctx context.Context, model attachmentModel, other *attachmentModel, diags *diag.Diagnostics,
) view {
	if other == nil {
		other = &attachmentModel{}
	}
	if len(model.members())+len(other.members()) == 0 {
		return view{}
	}
	cloud := r.Backend.Get(ctx, diags)
	if cloud == nil {
		return view{}
	}
	home, err := cloud.Region(ctx)
	// Without a nameless region only removed servers may be in the provider's, and it may be down.
	nameless := func(s member) bool { return s.region.ValueString() == "" }
	if slices.ContainsFunc(slices.Collect(maps.Values(model.members())), nameless) {
		if err == nil {
			_, err = cloud.Compute(ctx, home)
		}
		if err != nil {
			diags.AddAttributeError(path.Root("servers"), "Unable to use the region", err.Error())
		}
	}
	v := view{cloud: cloud, region: home}
	v.nodes = model.nodes(v.region)
	query := cluster.Query{NoProfiles: true}
	regions := map[string]bool{}
	for _, n := range v.nodes {
		regions[n.Region] = true
		query.IDs = append(query.IDs, n.ID)
	}
	v.before = other.nodes(v.region)
	maps.DeleteFunc(v.before, func(_ string, n readiness.Node) bool { return !regions[n.Region] })
	for _, n := range v.before {
		query.IDs = append(query.IDs, n.ID)
	}
	if diags.HasError() || len(query.IDs) == 0 {
		return v
	}
	query.Regions = slices.Sorted(maps.Keys(regions))
	if v.snapshot, err = cluster.Read(ctx, cloud, query); err != nil {
		diags.AddError("Unable to look for the marks of the servers", err.Error())
	}
	return v
}
