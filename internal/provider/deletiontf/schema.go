package deletiontf

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
)

func attachmentSchema() schema.Schema {
	notEmpty := []validator.String{attribute.NotEmpty}
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		MarkdownDescription: "Drains a node before it is removed: notifies a consumer and waits for it (`hook`), " +
			"waits for a grace period (`grace_period`), and shuts the server down through Nova (`shutdown`). There " +
			"is one attachment for each node. It refers to the node's server, so Terraform destroys it before the " +
			"server; destroying it drains the node, with the arguments of the last apply. Creating or changing it " +
			"does nothing to the server. See [Draining nodes](../guides/draining-nodes.md).\n\n" +
			"~> **Destroying an attachment drains its server, even [if the server " +
			"stays](../guides/draining-nodes.md#servers-that-stay).**" +
			"\n\nA drain first sets the server's " +
			"metadata `" + openstack.DrainedKey + "` (`begun` and the time, without `begun` once the hook is done) " +
			"and removes its mark, so the server is no longer in service. Nova refuses that for a locked server: " +
			"this is an error, and nothing is drained. A node whose hook failed may come back. An interrupted drain " +
			"continues where it stopped: a completed hook does not run again. A server that a readiness attachment " +
			"waited for in vain never was in service: its hook and grace period are left out.",
		Attributes: map[string]schema.Attribute{
			"server_id": schema.StringAttribute{
				Required:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
				Validators:          notEmpty,
				MarkdownDescription: "Id of the node's server. Changing it drains the old server.",
			},
			"region": schema.StringAttribute{Optional: true, Computed: true, PlanModifiers: kept, Validators: notEmpty,
				MarkdownDescription: "Region of the server. Defaults to the provider's."},
			"cluster":   attribute.Text("Name of the cluster, for the consumer."),
			"node_name": attribute.Text("Name of the node, for the consumer and in messages."),
			"enabled": attribute.Flag("Whether destroying the attachment does anything. Apply `false` before you " +
				"destroy it. Defaults to `true`."),
			"grace_period": durations.Argument(0, duration.Day, "How long to wait after the hook, such as `30s`, at "+
				"most `1d`. Defaults to `0s`."),
			"shutdown": attribute.Flag("Whether to stop the server through Nova at the end, so that its guest " +
				"shuts down. A server that Nova cannot stop, such as a `PAUSED` one, is left as it is, with a " +
				"warning. Defaults to `true`."),
		},
		Blocks: map[string]schema.Block{
			"hook": hookblock.Block("A consumer to notify of the drain, and to wait for."),
			"timeouts": attribute.Block("How long the destruction may take. After that it fails, and the node stays.",
				attribute.Fields{
					"delete": durations.Argument(time.Second, 30*duration.Day, "Such as `30m`. Defaults to the sum "+
						"of the hook's timeout, five minutes for a shutdown, the grace period and a minute."),
				}),
		},
	}
}
