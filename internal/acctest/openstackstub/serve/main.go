// Command serve serves the stand-in for terraform-provider-openstack.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/openstackstub"
)

func main() {
	if err := providerserver.Serve(context.Background(), openstackstub.New, providerserver.ServeOpts{Address: "registry.terraform.io/terraform-provider-openstack/openstack"}); err != nil {
		log.Fatal(err)
	}
}
