package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/web"
)

var errUnknownConfiguration = errors.New("the provider block refers to values that are known only after apply. " +
	"Apply their resources first, with -target, or take them from variables or the environment")

// newBackend makes the backend, without a request: the first call that needs the cloud logs in.
func newBackend(ctx context.Context, model providerModel, agent string, diags *diag.Diagnostics) *backend.Backend {
	config := model.config(ctx, diags)
	config.UserAgent = agent
	if ignored := model.ignored(); config.Cloud != "" && len(ignored) > 0 {
		diags.AddAttributeWarning(path.Root(ignored[0]), "Ignored in favour of clouds.yaml", fmt.Sprintf("The cloud "+
			"%q of clouds.yaml says how to log in. These arguments of the provider block have no effect: %s. Remove "+
			"them, or the argument cloud.", config.Cloud, strings.Join(ignored, ", ")))
	}
	hooks := newHooks(model, agent, config.RequestTimeout, diags)
	cloud, err := openstack.New(config)
	fault, ok := errors.AsType[*openstack.ArgumentError](err)
	switch {
	case errors.Is(err, openstack.ErrNoCloud):
		return backend.New(nil, err, hooks)
	case ok:
		diags.AddAttributeError(path.Root(fault.Argument), "Invalid provider configuration", fault.Fault)
	case err != nil:
		diags.AddError("Invalid provider configuration", err.Error())
	}
	return backend.New(cloud, nil, hooks)
}

// newHooks makes the runner of hooks. Webhooks have their own TLS settings.
func newHooks(model providerModel, agent string, timeout time.Duration, diags *diag.Diagnostics) *hook.Runner {
	hooks := &hook.Runner{
		UserAgent:     agent,
		AllowCommands: model.AllowCommands.ValueBool(),
		Log: func(ctx context.Context, message string, fields map[string]any) {
			tflog.Info(ctx, message, fields)
		},
	}
	var authorities []byte
	if file := model.HookCACertFile.ValueString(); file != "" {
		text, fault := openstack.PEM(file)
		if fault != "" {
			diags.AddAttributeError(path.Root("hook_cacert_file"), "Invalid provider configuration", fault)
		}
		authorities = text
	}
	pool, err := web.Authorities(authorities)
	if err != nil {
		diags.AddAttributeError(path.Root("hook_cacert_file"), "Invalid provider configuration",
			fmt.Sprintf("The webhooks' certificate authorities cannot be used: %s.", err))
	}
	hooks.HTTP = web.NewClient(pool, cmp.Or(timeout, time.Minute))
	if secret := (environment{diags}).text(model.WebhookSecret, "STACKPOLICY_WEBHOOK_SECRET"); secret != "" {
		if hooks.Signer, err = hook.NewSigner(secret); err != nil {
			// The error has no path, because Terraform would show the line with the secret.
			diags.AddError("Invalid provider configuration",
				fmt.Sprintf("The webhook secret, or STACKPOLICY_WEBHOOK_SECRET, cannot be used: %s.", err))
		}
	}
	return hooks
}
