package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
)

var errUnknownConfiguration = errors.New("the provider block refers to values that are known only after apply. " +
	"Apply what they come from first, with -target, or take them from variables or the environment")

// newBackend makes no request: the first call that needs the cloud logs in.
func newBackend(ctx context.Context, model providerModel, agent string, diags *diag.Diagnostics) *backend.Backend {
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
		return backend.New(nil, err)
	case ok:
		diags.AddAttributeError(path.Root(fault.Argument), "Invalid provider configuration", fault.Fault)
	case err != nil:
		diags.AddError("Invalid provider configuration", err.Error())
	}
	return backend.New(cloud, nil)
}
