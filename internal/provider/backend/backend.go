// Package backend hands the cloud of the provider block to resources and data
// sources.
package backend

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Backend is made from the provider block. Data sources and resources ask it for
// the cloud only when they need it. A nil backend belongs to a provider that is not
// configured: it has no cloud and no hooks.
type Backend struct {
	cloud *openstack.Cloud
	err   error
	hooks *hook.Runner
	walk  *Walk
}

// New returns a backend with a cloud, or with the reason why there is none, and with
// the runner of hooks.
func New(cloud *openstack.Cloud, reason error, hooks *hook.Runner) *Backend {
	return &Backend{cloud: cloud, err: reason, hooks: hooks, walk: new(Walk)}
}

var errNotConfigured = errors.New("the provider is not configured")

// Get returns the cloud, logged in. If there is no cloud it reports the reason and
// returns nil. A refused login is reported only here.
func (b *Backend) Get(ctx context.Context, diags *diag.Diagnostics) *openstack.Cloud {
	reason := errNotConfigured
	if b != nil {
		reason = b.err
	}
	if reason != nil {
		diags.AddError("Unable to reach a cloud", "This needs an OpenStack cloud, and "+reason.Error()+".")
		return nil
	}
	if err := b.cloud.Login(ctx); err != nil {
		diags.AddError("Unable to log in", text.Sentence(err)+" "+b.cloud.LoginAdvice(err))
		return nil
	}
	return b.cloud
}

// Compute returns the cloud and the Nova of a region, or nil after an error. If no region is named, it fills in the
// provider's.
func (b *Backend) Compute(
	ctx context.Context, region *types.String, diags *diag.Diagnostics,
) (*openstack.Cloud, *openstack.Compute) {
	cloud := b.Get(ctx, diags)
	if cloud == nil {
		return nil, nil
	}
	name, err := region.ValueString(), error(nil)
	if name == "" {
		name, err = cloud.Region(ctx)
	}
	var compute *openstack.Compute
	if err == nil {
		compute, err = cloud.Compute(ctx, name)
	}
	if err != nil {
		if state, _, err := cloud.RegionState(ctx, name); name != "" && err == nil && state == openstack.RegionUnknown {
			known, _ := cloud.Regions(ctx) // kept from the request just made
			diags.AddAttributeError(path.Root("region"), "Unknown region", places.UnknownRegion(name, known))
			return nil, nil
		}
		diags.AddAttributeError(path.Root("region"), "Unable to use the region", err.Error())
		return nil, nil
	}
	*region = types.StringValue(name)
	return cloud, compute
}

// Regions returns the cloud, and the regions that a list names or else the provider's. The cloud is nil after an error.
func (b *Backend) Regions(ctx context.Context, named types.List, diags *diag.Diagnostics) (*openstack.Cloud, []string) {
	cloud, regions := b.Get(ctx, diags), value.Texts(named)
	if cloud == nil || len(regions) > 0 {
		return cloud, regions
	}
	region, err := cloud.Region(ctx)
	if err != nil {
		diags.AddAttributeError(path.Root("regions"), "Unable to determine the region", err.Error())
		return nil, nil
	}
	return cloud, []string{region}
}

// Hooks returns the runner of hooks, or nil if the provider block is not known yet.
func (b *Backend) Hooks() *hook.Runner {
	if b == nil {
		return nil
	}
	return b.hooks
}

// Walk returns what the resources of this walk tell each other. Without a backend
// nothing is shared.
func (b *Backend) Walk() *Walk {
	if b == nil {
		return new(Walk)
	}
	return b.walk
}
