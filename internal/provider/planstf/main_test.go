package planstf_test

import (
	"os"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }
