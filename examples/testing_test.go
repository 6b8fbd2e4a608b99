package examples_test

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// TestAccExample_testingAModule runs the tests of the guide's module, as its
// reader does: one after the other, the mocked one without a cloud.
func TestAccExample_testingAModule(t *testing.T) {
	needsOverride(t)
	e := start(t, "guides/testing-a-module")
	mocked := "tests/mocked.tftest.hcl"
	if strings.HasSuffix(e.Terraform, "tofu") {
		mocked = "tests/mocked.tofutest.hcl"
	}
	passes := func(file string) {
		t.Helper()
		text, err := e.Run(t.Context(), "test", "-no-color", "-filter="+file)
		if err != nil || !strings.Contains(text, "Success! 1 passed, 0 failed.") {
			t.Errorf("%v\n%s", err, text)
		}
	}
	passes("tests/planned.tftest.hcl")
	env := e.Env
	e.Env = append(e.Env, "OS_CLOUD=", "OS_AUTH_URL=http://127.0.0.1:1/", "OS_CLIENT_CONFIG_FILE=/nowhere")
	passes(mocked)
	e.Env = env // for the end of the test
}

// needsOverride skips a test of the guide's module with a Terraform that does not
// know override_during, and so reads nothing of the module.
func needsOverride(t *testing.T) {
	if minor := acctest.TerraformMinor(t); minor > 0 && minor < 11 {
		t.Skipf("needs Terraform 1.11 for override_during, this is 1.%d", minor)
	}
}
