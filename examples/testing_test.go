package examples_test

import (
	"strings"
	"testing"
)

// TestAccExample_testingAModule runs the tests of the guide's module, as its
// reader does: one after the other, the mocked one without a cloud.
func TestAccExample_testingAModule(t *testing.T) {
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
