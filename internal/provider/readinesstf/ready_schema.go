package readinesstf

import (
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
)

// readySchema returns the checks of the attachment, with the same names, for one server.
func readySchema() schema.Schema {
	of := attachmentSchema()
	s := schema.Schema{
		MarkdownDescription: "Waits until a server that Terraform has updated in place is in service, and marks it, " +
			"as a `stackpolicy_readiness_attachment` does. That ends the turn that `stackpolicy_drain` began with " +
			"`at_once`. If the server does not get into service, no other node gets a turn. Needs Terraform 1.16. " +
			"OpenTofu has no actions.",
		Attributes: map[string]schema.Attribute{
			"server_id": attribute.RequiredText("Id of the node's server."),
			"node_name": attribute.RequiredText("Name of the node."),
			"region":    attribute.Text("Region of the server. Defaults to the provider's.", attribute.NotEmpty),
			"address":   attribute.Text("Address for `tcp` and `http`, such as `caller.access_ip_v4`."),
			"mark":      markAttribute("Mark of the node in `nodes` of the placement attachment."),
			"metadata": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "`caller.all_metadata`: the metadata that Terraform read after the update. If " +
					"it lacks the note of the drain, the update has failed, and the server is not marked.",
			},
		},
		Blocks: map[string]schema.Block{},
	}
	for _, name := range []string{"cluster", "allow_link_local", "stable_for", "timeout"} {
		s.Attributes[name] = attribute.OfAction(of.Attributes[name])
	}
	for name, block := range of.Blocks {
		nested, _ := block.(resource.SingleNestedBlock)
		s.Blocks[name] = attribute.BlockOfAction(nested)
	}
	return s
}
