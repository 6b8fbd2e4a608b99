// Command serve serves the provider for tests and the demo to Terraform.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/nova"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/stackpolicy/nova"}
	if err := providerserver.Serve(context.Background(), nova.New, options); err != nil {
		log.Fatal(err)
	}
}
