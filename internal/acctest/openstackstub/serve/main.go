// Command serve serves the stand-in for terraform-provider-openstack.
package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/openstackstub"
)

func main() {
	plugin.Serve(
		&plugin.ServeOpts{
			ProviderFunc: openstackstub.New,
			ProviderAddr: "registry.terraform.io/terraform-provider-openstack/openstack",
		},
	)
}
