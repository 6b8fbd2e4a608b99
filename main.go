// Command terraform-provider-stackpolicy serves the provider to Terraform.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
)

// version is set by the linker in releases.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger, and print how Terraform finds this process")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/stackpolicy/stackpolicy",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
