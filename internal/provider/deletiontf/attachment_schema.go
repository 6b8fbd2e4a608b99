package deletiontf

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
)

var notEmpty = []validator.String{stringvalidator.LengthAtLeast(1)}

func attachmentSchema() schema.Schema {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		MarkdownDescription: "What must happen before a node is removed, as in Senlin's deletion policy with " +
			"lifecycle hooks: a consumer is notified and waited for (`hook`), the server is shut down through Nova " +
			"(`shutdown`), and a grace period passes (`grace_period`). There is one attachment for each node. It " +
			"refers to the node's server, so Terraform destroys the attachment before the server: that is when all " +
			"this happens. Creating or changing it does nothing to the server.\n\n" +
			"~> **Destroying an attachment drains its server, also one that stays.** Removing the block, renaming " +
			"it, or changing the keys of its `for_each` drains servers that are in use. The plan warns of the " +
			"servers that will be drained, and is refused where one of them keeps or gets another attachment. To " +
			"rename or re-key, use a `moved` block; to stop using attachments, use a `removed` block with `destroy = " +
			"false`, or apply `enabled = false` first.\n\n" +
			"Terraform destroys by its state, so the arguments of the last apply count. To change a hook or a grace " +
			"period, apply the change before you remove nodes.\n\n" +
			"A drain is seen in Nova: it begins by setting the server's metadata `" + openstack.DrainedKey +
			"` to the time and by removing its mark, so a server that was drained and is still there is not in " +
			"service. Nova refuses both for a locked server: then nothing is drained, and the error says so. A " +
			"server in a status in which Nova takes no metadata, such as `ERROR`, is drained without that.\n\n" +
			"An interrupted destruction continues where it stopped: a hook that is done is not run again, and a " +
			"Zaqar message that is still in the queue is waited for. A webhook is called, and a command run, again " +
			"with the same token.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "`<region>/<server id>`."},
			"server_id": schema.StringAttribute{
				Required:      true,
				PlanModifiers: replaced,
				Validators:    notEmpty,
				MarkdownDescription: "Id of the node's server. Changing it replaces the attachment, which drains the " +
					"old server.",
			},
			"region": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: kept, Validators: notEmpty,
				MarkdownDescription: "Region of the server. Defaults to the provider's. It changes in place."},
			"cluster": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the cluster, for the consumer of the hook.",
			},
			"node_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the node, for the consumer of the hook and in warnings and errors.",
			},
			"enabled": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Whether destroying the attachment does anything. With `false` it runs no hook, " +
					"stops nothing and does not wait. Like all arguments it must be applied before the attachment is " +
					"destroyed. Defaults to `true`.",
			},
			"grace_period": schema.StringAttribute{
				Optional:      true,
				Computed:      true,
				CustomType:    durations.Type{},
				Default:       durations.Default(0),
				Validators:    durations.Between(0, duration.Day),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long to wait at the end, in full, after the hook and the shutdown, such as " +
					"`30s`. At most `1d`. Defaults to `0s`.",
			},
			"shutdown": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
				MarkdownDescription: "Whether to stop the server through Nova before the grace period, so that its " +
					"guest shuts down. A server that reboots, migrates or similar is stopped after that. One that " +
					"Nova cannot stop (`PAUSED`, `SUSPENDED`, `RESCUE`, `VERIFY_RESIZE`) is left as it is, with a " +
					"warning. Defaults to `false`.",
			},
			"only_in_service": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
				MarkdownDescription: "Whether to leave out the hook and the grace period for a server that never was " +
					"in service: one that `stackpolicy_readiness_attachment` has not marked, and of which no drain " +
					"has begun. " +
					"Set it where there is a readiness attachment: else a fix of a bad image waits for hooks of " +
					"servers that nobody used. Without a readiness attachment no server has a mark, and none would " +
					"be drained. Defaults to `false`.",
			},
			"lifecycle_action_token": schema.StringAttribute{
				Computed:      true,
				Sensitive:     true,
				PlanModifiers: kept,
				MarkdownDescription: "Token in the messages about this node. A message that is sent again has the " +
					"same one.",
			},
		},
		Blocks: map[string]schema.Block{
			"hook": hookblock.Block(
				hook.Termination,
				"A consumer that is notified of the drain, and waited for.",
			),
			"timeouts": schema.SingleNestedBlock{
				MarkdownDescription: "How long the destruction may take. After that it fails, and the node stays.",
				Attributes: map[string]schema.Attribute{
					"delete": schema.StringAttribute{
						Optional:      true,
						CustomType:    durations.Type{},
						Validators:    durations.Between(time.Second, 30*duration.Day),
						PlanModifiers: durations.Kept(),
						MarkdownDescription: "Time for everything that happens before the server is destroyed, such " +
							"as `30m`. Defaults to the sum of the hook's timeout, five minutes for a shutdown, the " +
							"grace period and a minute.",
					},
				},
			},
		},
	}
}

func attachmentIdentity() map[string]identityschema.Attribute {
	return map[string]identityschema.Attribute{
		"region": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Region of the server. Defaults to the provider's.",
		},
		"server_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the server."},
	}
}
