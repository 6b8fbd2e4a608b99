// Command actions adds the schemas of the provider's actions to the output of "terraform providers schema -json",
// from standard input to standard output. Terraform prints these schemas from 1.14 on, and OpenTofu never.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
)

func main() {
	if err := add(); err != nil {
		fmt.Fprintln(os.Stderr, "actions:", err)
		os.Exit(1)
	}
}

func add() error {
	var all map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		return err
	}
	providers, _ := all["provider_schemas"].(map[string]any)
	for address, all := range providers {
		if all, ok := all.(map[string]any); ok && strings.HasSuffix(address, "/stackpolicy") {
			all["action_schemas"] = protocol.ActionSchemas()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}
