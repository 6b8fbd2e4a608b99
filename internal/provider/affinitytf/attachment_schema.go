package affinitytf

import (
	"math"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
)

const (
	zoneArgument = "Availability zone for the nodes. It must exist. With `enable_drs_extension` it must be the zone " +
		"of the host; by default it is."
	drsArgument = "Whether nodes are placed on a vSphere cluster with DRS: on the host of the first hypervisor, by " +
		"hostname, that is up, enabled, in the `availability_zone` (if one is given) and has `drs` in its hostname, " +
		"in any case. Needs the rights of an admin. Defaults to `false`."
)

func attachmentSchema() schema.Schema {
	computed := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	optional := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Validators: notEmpty, MarkdownDescription: description}
	}
	region := optional("Region of the group. Defaults to the provider's.")
	region.Computed = true
	policies := optional(
		"Its policy: `affinity`, `anti-affinity`, `soft-affinity` or `soft-anti-affinity` (the soft ones need Nova's " +
			"microversion 2.15). A group that is inherited must have it. Defaults to `anti-affinity`.",
	)
	policies.Validators = []validator.String{stringvalidator.OneOf(affinity.Policies()...)}
	policies.Computed = true
	policies.Default = stringdefault.StaticString(affinity.AntiAffinity) // as an import finds it
	return schema.Schema{
		MarkdownDescription: "Attaches a cluster to a Nova server group, as Senlin's affinity policy did. A group " +
			"that exists is *inherited*, and stays when the attachment is destroyed. Otherwise a group is created, " +
			"and deleted with the attachment.\n\n" +
			"Give `servergroup_id` to the scheduler hints of your servers, and **let them ignore changes of it**: " +
			"Nova can neither move a server to another group nor say which hints it was made with, so " +
			"terraform-provider-openstack replaces every server whose hints change.\n\n" +
			"```terraform\nlifecycle {\n  ignore_changes = [scheduler_hints]\n}\n```\n\n" +
			"New servers get the hints despite this line. Without it, all servers of the group are replaced when the " +
			"group changes: when somebody deletes it, and when you change its name, policy, rule or region.\n\n" +
			"A group's name, policy and rules cannot change. So where you change them the attachment takes another " +
			"group, in place: the new one is inherited or created first, then the old one is deleted, if this " +
			"attachment created it. `servergroup_id` changes. A warning in the plan says so, with the names of the " +
			"servers in the old group: they keep running without one, and only new servers join the new one. " +
			"`create_before_destroy` on the servers, which Terraform extends to this attachment, changes nothing " +
			"about this.",
		Attributes: map[string]schema.Attribute{
			"id":                   computed("`<region>/<server group id>`."),
			"region":               region,
			"availability_zone":    optional(zoneArgument),
			"enable_drs_extension": schema.BoolAttribute{Optional: true, MarkdownDescription: drsArgument},
			"servergroup_id":       computed("Id of the group."),
			"servergroup_name":     computed("Name of the group."),
			"policy":               computed("Policy of the group."),
			"inherited_group": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the group was there before, and stays when the attachment is destroyed.",
			},
			"members": schema.ListAttribute{
				ElementType:         types.StringType,
				Computed:            true,
				MarkdownDescription: "Ids of the servers in the group, as of the last refresh, sorted.",
			},
			"zone": computed(
				"Availability zone to give to servers: that of `availability_zone`, with the host of the DRS cluster " +
					"(`zone:host`) where that is enabled. The host is chosen once: when it fails later, no server " +
					"moves.",
			),
			"binding": schema.ObjectAttribute{
				AttributeTypes: bindingType.AttrTypes,
				Computed:       true,
				MarkdownDescription: "Senlin's policy binding data: `AffinityPolicy` with `version` and `data`, " +
					"which has `servergroup_id` and `inherited_group`.",
			},
		},
		Blocks: map[string]schema.Block{
			"servergroup": schema.SingleNestedBlock{MarkdownDescription: "The server group that the cluster needs.",
				Attributes: map[string]schema.Attribute{
					"name": optional(
						"Name or id of the group. If it exists it is inherited, otherwise a group of this name is " +
							"created; an id that is not visible is an error. " +
							"Without a name, and without scheduler hints, a group is created as `server_group_` and " +
							"random letters.",
					),
					"policies": policies,
					"max_server_per_host": schema.Int64Attribute{
						Optional:   true,
						Validators: []validator.Int64{int64validator.Between(1, math.MaxInt32)},
						MarkdownDescription: "Maximum number of members on one host, for `anti-affinity` only. Needs " +
							"Nova's microversion 2.64. By default it is 1 in a group that is created, and any in one " +
							"that is inherited.",
					},
				}},
			"scheduler_hints": schema.SingleNestedBlock{
				MarkdownDescription: "Scheduler hints of the cluster's servers. Their group is inherited where " +
					"`servergroup` names none. Its policy must be that of `servergroup`, which is `anti-affinity` in " +
					"an empty block; without a `servergroup` block it may be any.",
				Validators: []validator.Object{
					objectvalidator.AlsoRequires(path.MatchRelative().AtName("group")),
				},
				Attributes: map[string]schema.Attribute{
					"group": optional("Name or id of a server group, which must exist. Required in this block."),
				},
			},
		},
	}
}

func attachmentIdentity() map[string]identityschema.Attribute {
	return map[string]identityschema.Attribute{
		"region": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "Region of the server group.",
		},
		"servergroup_id": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "Id of the server group.",
		},
		"created": identityschema.BoolAttribute{
			OptionalForImport: true,
			Description:       "Whether the attachment created the group, and deletes it when it is destroyed.",
		},
	}
}
