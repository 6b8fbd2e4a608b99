package deletion

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

type attachmentModel struct {
	ID          types.String   `tfsdk:"id"`
	ServerID    types.String   `tfsdk:"server_id"`
	Region      types.String   `tfsdk:"region"`
	Cluster     types.String   `tfsdk:"cluster"`
	NodeName    types.String   `tfsdk:"node_name"`
	GracePeriod types.Int64    `tfsdk:"grace_period"`
	Shutdown    types.Bool     `tfsdk:"shutdown"`
	Hook        types.Object   `tfsdk:"hook"`
	Token       types.String   `tfsdk:"lifecycle_action_token"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

type hookModel struct {
	Type          types.String `tfsdk:"type"`
	Params        types.Object `tfsdk:"params"`
	Timeout       types.Int64  `tfsdk:"timeout"`
	DefaultResult types.String `tfsdk:"default_result"`
}

type hookParamsModel struct {
	Queue types.String `tfsdk:"queue"`
	URL   types.String `tfsdk:"url"`
}

const (
	zaqarHook   = "zaqar"
	webhookHook = "webhook"

	defaultHookTimeout = 5 * time.Minute
	shutdownTime       = 5 * time.Minute // Nova itself gives a guest one, then switches it off
	spareTime          = time.Minute     // for the requests around the waiting
)

func attachmentSchema(ctx context.Context) schema.Schema {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	limits := timeouts.Attributes(ctx, timeouts.Opts{Delete: true,
		DeleteDescription: "Time for all that happens before the node goes, such as `30m`. Defaults to the sum of the hook's timeout, five minutes for a shutdown, the grace period and a minute."}).(schema.SingleNestedAttribute)
	limits.MarkdownDescription = "How long it may take, beyond which the destroy fails and the node stays."
	return schema.Schema{
		MarkdownDescription: "What must happen before a node goes, as Senlin's deletion policy had it with lifecycle hooks: a consumer is told and waited for, the server is stopped, and a grace period granted. One for each node, beside its server: it refers to the server, so Terraform destroys it first, and that is when all this happens.\n\n" +
			"What happens is what was last applied: Terraform destroys by its state, so change a hook or a grace period, and apply, before the nodes that it is for go.\n\n" +
			"A consumer is told once of a node. Where a destroy is cut short and runs again, the Zaqar message that is still there is waited for, and not sent again; a webhook is called again with the same token, by which its consumer knows it.",
		Attributes: map[string]schema.Attribute{
			"id":        schema.StringAttribute{Computed: true, PlanModifiers: kept, MarkdownDescription: "`<region>/<server id>`."},
			"server_id": schema.StringAttribute{Required: true, PlanModifiers: replaced, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}, MarkdownDescription: "Id of the node's server. Another server is another attachment: what is attached to the old one happens when that goes."},
			"region": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIfConfigured(), stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Region of the server. Defaults to the provider's."},
			"cluster":   schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the cluster, for the consumer of the hook."},
			"node_name": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the node, for the consumer of the hook."},
			"grace_period": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(0), Validators: []validator.Int64{int64validator.Between(0, 86_400)},
				MarkdownDescription: "Seconds to wait before the node goes, in full, after the hook and the shutdown. Defaults to `0`."},
			"shutdown": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to stop the server through Nova, so that its guest shuts down, before the grace period. Defaults to `false`."},
			"hook": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Whom to tell, and to wait for.",
				Attributes: map[string]schema.Attribute{
					"type": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.OneOf(zaqarHook, webhookHook)},
						MarkdownDescription: "`zaqar`: a message in a queue, which the consumer deletes when it is done. `webhook`: a POST, which the consumer answers with 2xx when it is done, or with 202 while it is not, and is then asked again."},
					"params": schema.SingleNestedAttribute{Required: true, MarkdownDescription: "Where to tell it.",
						Attributes: map[string]schema.Attribute{
							"queue": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.LengthBetween(1, 64)}, MarkdownDescription: "Name of the Zaqar queue, of type `zaqar`. Zaqar makes one that is not there."},
							"url":   schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: "Address (`http` or `https`) of type `webhook`. It may have a secret in it, and is never logged."},
						}},
					"timeout": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(1, 86_400)},
						MarkdownDescription: "Seconds to wait for the consumer. Defaults to `300`."},
					"default_result": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf(string(hook.Continue), string(hook.Abandon))},
						MarkdownDescription: "What happens when the hook fails or takes too long: `CONTINUE` (the node goes, with a warning; the default) or `ABANDON` (an error, and the node stays)."},
				}},
			"lifecycle_action_token": schema.StringAttribute{Computed: true, Sensitive: true, PlanModifiers: kept, MarkdownDescription: "Token in the messages about this node. A message that comes again has the same one."},
			"timeouts":               limits,
		},
	}
}

// validate checks what is known of the arguments.
func (m attachmentModel) validate(ctx context.Context, diags *diag.Diagnostics) {
	if m.Hook.IsNull() || !value.Known(ctx, m.Hook) {
		return
	}
	h := value.Object[hookModel](ctx, m.Hook, diags)
	params := value.Object[hookParamsModel](ctx, h.Params, diags)
	at := path.Root("hook").AtName("params")
	queue, address := params.Queue.ValueString(), params.URL.ValueString()
	switch kind := h.Type.ValueString(); {
	case kind == zaqarHook && queue == "":
		diags.AddAttributeError(at.AtName("queue"), "No queue", "A hook of type zaqar needs the name of a queue.")
	case kind == zaqarHook && address != "":
		diags.AddAttributeError(at.AtName("url"), "A URL beside a queue", "A hook of type zaqar has a queue, and no URL.")
	case kind == webhookHook && queue != "":
		diags.AddAttributeError(at.AtName("queue"), "A queue beside a URL", "A hook of type webhook has a URL, and no queue.")
	case kind == webhookHook:
		validateURL(address, at.AtName("url"), diags)
	}
}

// validateURL says what is wrong with an address without telling it: it may
// have a secret in it.
func validateURL(address string, at path.Path, diags *diag.Diagnostics) {
	u, err := url.Parse(address)
	switch {
	case address == "":
		diags.AddAttributeError(at, "No URL", "A hook of type webhook needs a URL.")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		diags.AddAttributeError(at, "Invalid URL", "The address of a webhook begins with https:// (or http://) and has a host.")
	case u.Scheme == "http" && (u.User != nil || u.RawQuery != ""):
		diags.AddAttributeWarning(at, "Credentials over plain HTTP", fmt.Sprintf("The URL of the webhook at %s has credentials or a query in it, and everybody on the way can read them. Use https.", u.Host))
	}
}

// identify fills in what is worked out.
func (m *attachmentModel) identify() {
	m.ID = types.StringValue(m.Region.ValueString() + "/" + m.ServerID.ValueString())
	if m.Token.ValueString() == "" {
		m.Token = types.StringValue(rand.Text())
	}
}

// drain says what must happen.
func (m attachmentModel) drain(ctx context.Context, hooks *hook.Runner, server openstack.Server, diags *diag.Diagnostics) *hook.Drain {
	d := &hook.Drain{
		Server: server,
		Message: hook.Message{Token: m.Token.ValueString(), NodeID: server.ID, Transition: hook.Termination,
			Region: m.Region.ValueString(), NodeName: m.NodeName.ValueString(), Cluster: m.Cluster.ValueString()},
		Shutdown: m.Shutdown.ValueBool(),
		Grace:    time.Duration(m.GracePeriod.ValueInt64()) * time.Second,
	}
	h := value.Object[hookModel](ctx, m.Hook, diags)
	if h == nil {
		return d
	}
	params := value.Object[hookParamsModel](ctx, h.Params, diags)
	arguments := map[string][]string{"queue": {params.Queue.ValueString()}}
	if h.Type.ValueString() == webhookHook {
		arguments = map[string][]string{"url": {params.URL.ValueString()}}
	}
	d.Hook = &hook.Spec{Type: h.Type.ValueString(), Arguments: arguments, Timeout: h.timeout(), Default: hook.Result(value.TextOr(h.DefaultResult, string(hook.Continue)))}
	d.Runner = hooks
	return d
}

func (h hookModel) timeout() time.Duration {
	if h.Timeout.IsNull() {
		return defaultHookTimeout
	}
	return time.Duration(h.Timeout.ValueInt64()) * time.Second
}

// longest is how long all of it may take.
func (m attachmentModel) longest(ctx context.Context, diags *diag.Diagnostics) time.Duration {
	total := time.Duration(m.GracePeriod.ValueInt64())*time.Second + spareTime
	if h := value.Object[hookModel](ctx, m.Hook, diags); h != nil {
		total += h.timeout()
	}
	if m.Shutdown.ValueBool() {
		total += shutdownTime
	}
	return total
}
