// Command serve serves the stand-in for terraform-provider-openstack.
package main

import (
	"flag"

	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/openstackstub"
)

func main() {
	debug := flag.Bool("debug", false, "wait for terraform, and print how it finds this process")
	flag.Parse()
	plugin.Serve(&plugin.ServeOpts{
		Debug:        *debug,
		ProviderFunc: openstackstub.New,
		ProviderAddr: "registry.terraform.io/terraform-provider-openstack/openstack",
	})
}
