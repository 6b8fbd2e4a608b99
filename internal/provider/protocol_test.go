package provider_test

import (
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// All tests of this package use these types.
type (
	attributes = protocol.Attributes
	instance   = protocol.Instance
)
