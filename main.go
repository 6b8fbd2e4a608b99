// Command terraform-provider-stackpolicy serves the provider to Terraform.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
)

// version is set by the linker in releases.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger, and print how Terraform finds this process")
	flag.Parse()
	quiet()
	server, err := provider.NewServer(version)
	if err != nil {
		log.Fatal(err)
	}
	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	err = tf6server.Serve("registry.terraform.io/stackpolicy/stackpolicy",
		func() tfprotov6.ProviderServer { return server }, options...)
	if err != nil {
		log.Fatal(err)
	}
}

// quiet turns off the log of the plugin framework if Terraform would throw it away. The framework always writes a
// line for each element of a map, and Terraform parses each: for a cluster of 1,000 nodes that is most of the time of
// a plan.
func quiet() {
	for _, name := range []string{"TF_LOG", "TF_LOG_PROVIDER"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
		if os.Getenv(name) == "" {
			_ = os.Setenv(name, "OFF") // if it fails there is only more to read
		}
	}
}
