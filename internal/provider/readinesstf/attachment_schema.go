package readinesstf

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
)

const (
	defaultTimeout = 10 * time.Minute
	defaultMark    = "1"          // of a server that nothing else is said of
	longest        = duration.Day // that anything here may take
)

func attachmentSchema() schema.Schema {
	given := []validator.String{stringvalidator.LengthAtLeast(1)}
	return schema.Schema{
		MarkdownDescription: "Waits, as part of an apply, until new servers are in service: what must happen between " +
			"the creation of a server and the removal of the one that it replaces. One for each cluster. It refers " +
			"to the deletion attachments, which refer to the servers. With `create_before_destroy` on both, an apply " +
			"creates the new servers and their deletion attachments, waits here, drains the old servers and destroys " +
			"them. If the wait fails, nothing old is drained or destroyed, and each new server has its deletion " +
			"attachment. Without deletion attachments it refers to the servers.\n\n" +
			"A server is in service when Nova says `ACTIVE` and everything passes that is asked for with `http`, " +
			"`tcp` and `hook`. Then it is *marked* in Nova: its metadata `" + openstack.MarkKey + "` is set to its " +
			"`mark`. What Nova has is what counts, not the state: the next apply checks the servers that lack their " +
			"mark, or that were drained and are still there (`" + openstack.DrainedKey + "`, which is removed from a " +
			"server that passes), and no others. `" + openstack.InServiceAtKey + "` is set to the time together with " +
			"the mark. When a wait ends without a server that is `ACTIVE`, `" + openstack.NotInServiceAtKey +
			"` is set there, until it gets its mark. Both are RFC 3339 in UTC, by Nova's clock.\n\n" +
			"Servers that are not in service when `timeout` ends are listed in an error, each with what was seen " +
			"last. Those that passed are marked, so the next apply checks only the others. Destroying the attachment " +
			"removes nothing: neither servers nor marks. A plan that destroys it while it still waits for servers " +
			"warns of that: what they replace is then destroyed without waiting.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the cluster."},
			"cluster": schema.StringAttribute{
				Required:            true,
				Validators:          given,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Name of the cluster.",
			},
			"servers": schema.MapNestedAttribute{
				Required: true,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(),
					mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)),
				},
				MarkdownDescription: "Servers of the cluster by the name of their node.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id": schema.StringAttribute{
						Required:            true,
						Validators:          given,
						MarkdownDescription: "Id of the server.",
					},
					"region": schema.StringAttribute{
						Optional:            true,
						Validators:          given,
						MarkdownDescription: "Region of the server. Defaults to the provider's.",
					},
					"address": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "Address at which `tcp` and `http` reach the server, from the machine " +
							"that runs Terraform: an IP address or the name of a host, such as `access_ip_v4`.",
					},
					"mark": schema.StringAttribute{
						Optional: true,
						Validators: []validator.String{
							stringvalidator.RegexMatches(
								openstack.MarkFormat,
								"must be 1 to 255 letters, digits, dots, hyphens and underscores",
							),
						},
						MarkdownDescription: "Mark that the server gets when it is in service: what it was made " +
							"from, as in `nodes` of `stackpolicy_placement_attachment`. A server whose mark changes " +
							"must get into service again. " +
							"1 to 255 letters, digits, dots, hyphens and underscores. Defaults to `" + defaultMark +
							"`.",
					},
				}},
			},
			"allow_link_local": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether an `address` may be link-local (`169.254.0.0/16`, `fe80::/10`). Others " +
					"than the node may answer there, " +
					"such as the metadata service of the cloud in which Terraform runs. `0.0.0.0` and `::` are " +
					"refused always. Defaults to `false`.",
			},
			"stable_for": schema.StringAttribute{
				Optional:      true,
				CustomType:    durations.Type{},
				Validators:    durations.Between(0, longest),
				PlanModifiers: durations.Kept(),
				MarkdownDescription: "How long all checks must pass without a break before a server is in service, " +
					"such as `30s`. By default once is enough.",
			},
			"timeout": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				CustomType:          durations.Type{},
				Default:             durations.Default(defaultTimeout),
				Validators:          durations.Between(time.Second, longest),
				PlanModifiers:       durations.Kept(),
				MarkdownDescription: "How long to wait, for all servers of an apply together. Defaults to `10m`.",
			},
			"pending": schema.ListAttribute{
				ElementType: types.StringType,
				Computed:    true,
				MarkdownDescription: "Names of the nodes whose server lacks its mark or was drained, as the last " +
					"refresh saw them. If it is not empty, the next apply checks them. After an apply that succeeds " +
					"it is empty.",
			},
		},
		Blocks: map[string]schema.Block{
			"http": probeblock.HTTP(),
			"tcp":  probeblock.TCP(),
			"hook": hookblock.Block(
				hook.Launch,
				"A consumer that is notified of a new server, and waited for: a last check by someone else, such as "+
					"an orchestrator. It runs once for each server, when all other checks have passed, and again in "+
					"the next apply if it did not complete. "+
					"The token in the message about a server and its mark is always the same.",
			),
		},
	}
}
