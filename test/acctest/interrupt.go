//go:build unix

package acctest

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// Interrupt ends a run of Terraform as Ctrl-C does, and checks its last words. Without the interrupt the run would
// take five minutes or more. The limit is for a busy machine.
func Interrupt(t *testing.T, run *workspace.Background, words ...string) {
	t.Helper()
	start := time.Now()
	require.NoError(t, run.Signal(syscall.SIGINT))
	text, err := run.Wait()
	for _, words := range append(words, "Terraform was interrupted") {
		if !Says(words).MatchString(text) {
			t.Errorf("nothing says %q", words)
		}
	}
	took, riddle := time.Since(start), Says(context.Canceled.Error()).MatchString(text)
	if err == nil || took > 3*time.Minute || riddle {
		t.Errorf("interrupted: %v after %s\n%s", err, took, text)
	}
}

// Signalled sends a signal to a run of Terraform, a pause after one of its requests hangs, and returns the error with
// which it ends.
func Signalled(t *testing.T, w *workspace.Workspace, hang *fakecloud.Injected, signal syscall.Signal,
	pause time.Duration, args ...string,
) error {
	t.Helper()
	defer hang.Remove()
	run, err := w.Start(t.Context(), args...)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := run.Wait()
		ended <- err
	}()
	select {
	case <-hang.Hit():
		time.Sleep(pause)
		require.NoError(t, run.Signal(signal))
	case err := <-ended:
		require.Fail(t, "terraform ended before its request", "%v", err)
	}
	return <-ended
}
