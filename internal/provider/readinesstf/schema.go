package readinesstf

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/attribute"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
)

const (
	defaultTimeout = 10 * time.Minute
	defaultMark    = "1"          // mark of a server without the argument
	longest        = duration.Day // bound of each duration here
)

func attachmentSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Waits, as part of an apply, until new servers are in service. There is one for each " +
			"cluster. With `create_before_destroy` on the servers and their deletion attachments, and `depends_on` " +
			"here, an apply creates the new servers, waits here, and then drains and destroys the old ones. If the " +
			"wait fails, no old server is drained or destroyed.\n\nA server is in service when it is `ACTIVE` in " +
			"Nova and passes all given checks of `http`, `tcp` and `hook`. Then it is *marked*: its metadata `" +
			openstack.MarkKey + "` is set to the `mark` of its node, and `" +
			openstack.InServiceAtKey + "` to the time. The next apply checks the servers that lack their mark, or " +
			"that were drained and still exist (`" + openstack.DrainedKey + "`). A wait that ends before " +
			"an `ACTIVE` server is in service notes `" + openstack.NotInServiceAtKey + "` in its metadata.\n\n" +
			"An error lists the servers that are not in service when `timeout` ends. An apply with new servers " +
			"does not wait for them again, and names them in a warning. Destroying the attachment removes neither " +
			"servers nor marks.",
		Attributes: map[string]schema.Attribute{
			"cluster": attribute.RequiredText("Name of the cluster.", attribute.NotEmpty),
			"nodes": members("`nodes` of the placement attachment. Nodes in closed places are not waited for. A plan "+
				"hides it, because it shows it there.",
				map[string]schema.Attribute{
					"mark": attribute.Text("Mark that the server gets when it is in service. Defaults to `"+
						defaultMark+"`.", stringvalidator.RegexMatches(openstack.MarkFormat,
						"must be 1 to 255 letters, digits, dots, hyphens and underscores")),
					"generation": attribute.Number(""),
					"closed":     schema.BoolAttribute{Optional: true},
					"region":     plain(),
					"zone":       plain(),
					"image":      plain(),
					"image_id":   plain(),
					"flavor":     plain(),
					"flavor_id":  plain(),
					"template":   schema.MapAttribute{Optional: true, ElementType: types.StringType},
				}),
			"servers": members("The servers by the names of their nodes: the whole resource, such as "+
				"`openstack_compute_instance_v2.web`, of which these attributes are read. A plan hides them too.",
				map[string]schema.Attribute{
					// Required, but Terraform validates with null for an id that it will know.
					"id":                      plain(),
					"name":                    plain(),
					"region":                  attribute.Text("Region of the server. Defaults to the provider's."),
					"availability_zone":       plain(),
					"availability_zone_hints": plain(),
					"image_id":                plain(),
					"image_name":              plain(),
					"flavor_id":               plain(),
					"flavor_name":             plain(),
					"access_ip_v4":            attribute.Text("Address at which `tcp` and `http` reach the server."),
					"access_ip_v6":            attribute.Text("The same, where it has no `access_ip_v4`."),
					"network": schema.ListNestedAttribute{
						Optional: true,
						NestedObject: schema.NestedAttributeObject{
							Attributes: map[string]schema.Attribute{"port": plain()},
						},
					},
					"block_device": schema.ListNestedAttribute{
						Optional: true,
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"uuid":        plain(),
							"source_type": plain(),
						}},
					},
				}),
			"addresses": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "Addresses, by the names of nodes, that `tcp` and `http` use instead, such as " +
					"floating IPs.",
			},
			"allow_link_local": attribute.Flag("Whether an address may be link-local (`169.254.0.0/16`, " +
				"`fe80::/10`) or a metadata service, where not only the node may answer. Defaults to `false`."),
			"stable_for": durations.Argument(0, longest, "How long all checks must pass without a break, such as "+
				"`30s`. By default once is enough."),
			"timeout": durations.ArgumentOr(defaultTimeout, time.Second, longest,
				"How long to wait for all servers. Defaults to `10m`."),
			"pending": attribute.ComputedTexts("Names of the nodes whose server lacks its mark or was drained: the " +
				"next apply checks them."),
		},
		Blocks: map[string]schema.Block{
			"http": probeblock.HTTP(),
			"tcp":  probeblock.TCP(),
			"hook": hookblock.Block("A last check by someone else, once for each server, when all other checks have " +
				"passed. If it does not complete, the next apply runs it again, with the same token."),
		},
	}
}

// members is an argument with an object for each node. It holds no secret, but Terraform would show all of it once
// more in each plan.
func members(description string, fields map[string]schema.Attribute) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Required:            true,
		Sensitive:           true,
		Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(attribute.NotEmpty)},
		MarkdownDescription: description,
		NestedObject:        schema.NestedAttributeObject{Attributes: fields},
	}
}

// plain is an attribute of an object that is handed over.
func plain() schema.Attribute { return schema.StringAttribute{Optional: true} }
