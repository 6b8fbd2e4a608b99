package provider_test

import "github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"

// They are everywhere in these tests.
type (
	attributes = protocol.Attributes
	instance   = protocol.Instance
)
