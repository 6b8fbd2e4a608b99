package affinitytf

import (
	"math"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
)

const (
	zoneArgument = "Availability zone for the nodes. With `enable_drs_extension` it defaults to the host's zone."
	drsArgument  = "Whether nodes are placed on a vSphere cluster with DRS: the first hypervisor that is up, " +
		"enabled, in the zone, and has `drs` in its hostname. Needs the rights of an admin. Defaults to `false`."
)

func attachmentSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Attaches a cluster to a Nova server group, as Senlin's affinity policy did. A group " +
			"that exists is *inherited*, and stays when the attachment is destroyed. Otherwise a group is created, " +
			"and deleted with the attachment.\n\nGive `servergroup_id` to the scheduler hints of your servers, and " +
			"**let them ignore changes of it**: Nova cannot move a server to another group, so " +
			"terraform-provider-openstack replaces every server whose hints change. New servers get the hints " +
			"nevertheless.\n\n```terraform\nlifecycle {\n  ignore_changes = [scheduler_hints]\n}\n```\n\nAnother " +
			"name, policy, rule or region of the group replaces the attachment, and a group of its own is " +
			"deleted. Servers in it keep running without a group; a warning names them. With `create_before_destroy` " +
			"the new group needs another name.",
		Attributes: map[string]schema.Attribute{
			"region":               places.RegionArgument("Region of the group. Defaults to the provider's."),
			"availability_zone":    attribute.Text(zoneArgument, attribute.NotEmpty),
			"enable_drs_extension": attribute.Flag(drsArgument),
			"servergroup_id":       attribute.ComputedText("Id of the group."),
			"servergroup_name":     attribute.ComputedText("Name of the group."),
			"policy":               attribute.ComputedText("Policy of the group."),
			"inherited_group":      attribute.ComputedFlag("Whether the group stays when the attachment is destroyed."),
			"members":              attribute.ComputedTexts("Ids of the servers in the group."),
			"zone": attribute.ComputedText("Availability zone to give to servers, with the host of the DRS cluster " +
				"(`zone:host`). The host is chosen once."),
			"binding": schema.ObjectAttribute{
				AttributeTypes:      bindingType.AttrTypes,
				Computed:            true,
				MarkdownDescription: "Senlin's policy binding data.",
			},
		},
		Blocks: map[string]schema.Block{
			"servergroup": attribute.Block("The server group that the cluster needs.", attribute.Fields{
				"name": attribute.Text("Name or id of the group. A group of a new name is created. Without a name "+
					"and scheduler hints, the group gets a random name.", attribute.NotEmpty,
					stringvalidator.UTF8LengthAtMost(255)), // Nova's limit
				"policies": schema.StringAttribute{
					Optional:   true,
					Computed:   true,
					Default:    stringdefault.StaticString(affinity.AntiAffinity), // an import has a policy, too
					Validators: []validator.String{stringvalidator.OneOf(affinity.Policies()...)},
					MarkdownDescription: "Policy of the group: `affinity`, `anti-affinity` (the default), " +
						"`soft-affinity` or `soft-anti-affinity`. An inherited group must have it.",
				},
				"max_server_per_host": attribute.Number("Maximum number of members on one host, for "+
					"`anti-affinity`. Needs Nova's microversion 2.64. Defaults to 1 in a group that is created.",
					int64validator.AtLeast(1), int64validator.AtMost(math.MaxInt32)),
			}),
			"scheduler_hints": attribute.Block("Scheduler hints of the cluster's servers. Their group is inherited if "+
				"`servergroup` names no group. It must have the policy of a `servergroup` block.", attribute.Fields{
				"group": attribute.Text("Required. Name or id of a server group, which must exist.",
					attribute.NotEmpty),
			}, "group"),
		},
	}
}
