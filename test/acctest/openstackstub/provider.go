// Package openstackstub is a stand-in for terraform-provider-openstack if that is not available: a provider with
// openstack_compute_instance_v2, whose arguments change a server in the same way (in place, by replacement or not at
// all), and with the parts of volumes, ports and members of pools that the guides need. A table checks that both give
// the same answers.
//
// It is built on the same SDK, whose older type system has rules of its own, and has the same provider block. It
// polls more often, so that tests are shorter.
package openstackstub

import (
	"cmp"
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	framework "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	stackpolicy "github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
)

// Agent is in the User-Agent of terraform-provider-openstack, and of the stand-in.
const Agent = "Terraform Plugin SDK"

// New returns the provider.
func New() *schema.Provider {
	return &schema.Provider{
		Schema:               block(),
		ConfigureContextFunc: configure,
		ResourcesMap: map[string]*schema.Resource{
			"openstack_blockstorage_volume_v3":   volumeResource(),
			"openstack_compute_instance_v2":      instanceResource(),
			"openstack_compute_volume_attach_v2": attachResource(),
			"openstack_lb_member_v2":             memberResource(),
			"openstack_networking_port_v2":       portResource(),
		},
	}
}

// block is the provider block of stackpolicy, which has the arguments of terraform-provider-openstack.
func block() map[string]*schema.Schema {
	var resp provider.SchemaResponse
	stackpolicy.New("stub")().Schema(context.Background(), provider.SchemaRequest{}, &resp)
	arguments := map[string]*schema.Schema{}
	for name, a := range resp.Schema.Attributes {
		s := &schema.Schema{Optional: true, Type: schema.TypeString}
		switch a.(type) {
		case framework.BoolAttribute:
			s.Type = schema.TypeBool
		case framework.Int64Attribute:
			s.Type = schema.TypeInt
		case framework.MapAttribute:
			s.Type, s.Elem = schema.TypeMap, &schema.Schema{Type: schema.TypeString}
		}
		arguments[name] = s
	}
	return arguments
}

// configure logs in. Arguments that are not set come from OS_CLOUD or the OS_* variables.
func configure(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
	block := openstack.Config{
		Cloud:         d.Get("cloud").(string),
		AuthURL:       cmp.Or(d.Get("auth_url").(string), os.Getenv("OS_AUTH_URL")),
		Region:        cmp.Or(d.Get("region").(string), os.Getenv("OS_REGION_NAME")),
		UserName:      d.Get("user_name").(string),
		Password:      d.Get("password").(string),
		TenantName:    d.Get("tenant_name").(string),
		DefaultDomain: "default",
		AllowReauth:   true,
		MaxRetries:    3,
		UserAgent:     Agent,
	}
	if d.Get("auth_url") == "" {
		block.Cloud = cmp.Or(block.Cloud, os.Getenv("OS_CLOUD"))
	}
	cloud, err := openstack.New(block)
	return cloud, diag.FromErr(err)
}
