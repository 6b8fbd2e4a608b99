// Package backend hands the cloud of the provider block to resources and data
// sources.
package backend

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Backend is made from the provider block. Data sources and resources ask it
// for the cloud when they need it: what needs none works without. A nil backend
// is one of a provider that is not configured: it has no cloud and no hooks.
type Backend struct {
	cloud *openstack.Cloud
	err   error
	hooks *hook.Runner
	walk  Walk
}

// New returns a backend with a cloud or, where there is none, with the reason,
// and with what runs hooks.
func New(cloud *openstack.Cloud, reason error, hooks *hook.Runner) *Backend {
	return &Backend{cloud: cloud, err: reason, hooks: hooks}
}

var errNotConfigured = errors.New("the provider is not configured")

// Get returns the cloud, logged in, or reports why there is none and returns nil. A
// login that is refused is reported here and nowhere else.
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

// Hooks returns what runs hooks; nil where the provider block is not known yet.
func (b *Backend) Hooks() *hook.Runner {
	if b == nil {
		return nil
	}
	return b.hooks
}

// Walk is what the resources of this walk know of each other. Without a backend
// each is on its own.
func (b *Backend) Walk() *Walk {
	if b == nil {
		return new(Walk)
	}
	return &b.walk
}
