package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// backend is what the provider block comes to. Data sources and resources ask
// it for the cloud when they need it: what needs none works without.
type backend struct {
	cloud *openstack.Cloud
	err   error // why there is no cloud
}

var errUnknownConfiguration = errors.New("the provider block refers to values that are known only after apply. " +
	"Apply what they come from first, with -target, or take them from variables or the environment")

func newBackend(ctx context.Context, model providerModel, agent string, diags *diag.Diagnostics) *backend {
	config := model.config(ctx, diags)
	config.UserAgent = agent
	if ignored := model.ignored(); config.Cloud != "" && len(ignored) > 0 {
		diags.AddAttributeWarning(path.Root(ignored[0]), "Ignored in favour of clouds.yaml",
			fmt.Sprintf("The cloud %q of clouds.yaml says how to log in: %s in the provider block have no effect. Remove them, or the cloud.", config.Cloud, strings.Join(ignored, ", ")))
	}
	cloud, err := openstack.New(config)
	fault, ok := errors.AsType[*openstack.ArgumentError](err)
	switch {
	case errors.Is(err, openstack.ErrNoCloud):
		return &backend{err: err}
	case ok:
		diags.AddAttributeError(path.Root(fault.Argument), "Invalid provider configuration", fault.Fault)
	case err != nil:
		diags.AddError("Invalid provider configuration", err.Error())
	}
	return &backend{cloud: cloud}
}

// get returns the cloud, or says why there is none.
func (b *backend) get(diags *diag.Diagnostics) *openstack.Cloud {
	if b.err != nil {
		diags.AddError("Unable to reach a cloud", "This needs an OpenStack cloud, and "+b.err.Error()+".")
		return nil
	}
	return b.cloud
}

// withBackend is embedded in data sources, and resourceWithBackend in resources:
// the framework hands both the same thing in two wrappings. Terraform hands
// nothing when it only validates.
type withBackend struct{ backend *backend }

func (w *withBackend) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	w.backend, _ = req.ProviderData.(*backend)
}

type resourceWithBackend struct{ backend *backend }

func (w *resourceWithBackend) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	w.backend, _ = req.ProviderData.(*backend)
}
