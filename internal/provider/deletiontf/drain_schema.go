package deletiontf

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
)

const defaultTurn = time.Hour

// drainSchema returns the arguments of the attachment that say how to drain a node, with
// the same names and the same checks.
func drainSchema() schema.Schema {
	of := attachmentSchema()
	s := schema.Schema{
		MarkdownDescription: "Drains a node whose server stays: before maintenance by hand, or before Terraform " +
			"rebuilds or resizes it in place. It does what destroying a `stackpolicy_deletion_attachment` does. " +
			"The next apply of a `stackpolicy_readiness_attachment` checks the server again and marks it, or the " +
			"action `stackpolicy_ready` does. Needs Terraform 1.14, and 1.16 for `caller` and `before_update`. " +
			"OpenTofu has no actions.",
		Attributes: map[string]schema.Attribute{
			"server_id": attribute.RequiredText("Id of the node's server."),
			"region":    attribute.Text("Region of the server. Defaults to the provider's.", attribute.NotEmpty),
			"at_once": attribute.Number("Maximum number of nodes of the cluster that are out of service at once. The "+
				"drain waits for its turn, which ends when `stackpolicy_ready` has marked the server. Needs "+
				"`cluster` and `nodes`.", int64validator.AtLeast(1)),
			"nodes": schema.MapAttribute{
				Optional:    true,
				ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{"region": types.StringType}},
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "For `at_once`: `nodes` of the placement attachment. A node is in service if " +
					"its server is marked, not drained, and `ACTIVE`.",
			},
			"turn_timeout": durations.Argument(time.Second, duration.Day, "For `at_once`: how long a turn may take, "+
				"from the drain until the server is in service. Defaults to `1h`."),
		},
		Blocks: map[string]schema.Block{},
	}
	for _, name := range []string{"cluster", "node_name", "grace_period", "shutdown", "only_in_service"} {
		s.Attributes[name] = attribute.OfAction(of.Attributes[name])
	}
	hook, _ := of.Blocks["hook"].(resource.SingleNestedBlock)
	s.Blocks["hook"] = attribute.BlockOfAction(hook)
	return s
}
