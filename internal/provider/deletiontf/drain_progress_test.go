package deletiontf

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestProgress: each step is sent as it begins, and again every ten seconds while it goes on.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		tell, end := progress(t.Context(), "web-0", func(message string) { sent = append(sent, message) })
		time.Sleep(15 * time.Second)
		tell("running the hook")
		time.Sleep(25 * time.Second)
		tell("shutting the server down")
		time.Sleep(5 * time.Second)
		end()
		tell("too late")
		time.Sleep(time.Hour)
		const want = "still noting the drain in Nova (10s)|running the hook|still running the hook (10s)|still running the hook (20s)|shutting the server down"
		assert.Equal(t, want, strings.ReplaceAll(strings.Join(sent, "|"), "web-0: ", ""))
	})
}
