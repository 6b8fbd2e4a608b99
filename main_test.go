package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestQuiet: the log of the framework is off unless somebody reads it.
func TestQuiet(t *testing.T) {
	for name, want := range map[string]string{"": "OFF", "TF_LOG": "", "TF_LOG_PROVIDER": "", "TF_LOG_SDK_FRAMEWORK": "debug"} {
		for _, variable := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
			t.Setenv(variable, "")
		}
		if name != "" {
			t.Setenv(name, "debug")
		}
		quiet()
		assert.Equal(t, want, os.Getenv("TF_LOG_SDK_FRAMEWORK"), "with %s", name)
	}
}
