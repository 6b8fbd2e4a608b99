package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be the command: it acts as its first argument says, so that the tests need no shell.
func TestMain(m *testing.M) {
	if os.Getenv("HOOK_TEST_COMMAND") == "" {
		os.Setenv("HOOK_TEST_COMMAND", "1") // for the processes that the tests start
		os.Exit(m.Run())
	}
	switch arguments := os.Args[1:]; arguments[0] {
	case "environment":
		for _, entry := range os.Environ() {
			fmt.Println(entry)
		}
	case "arguments":
		fmt.Printf("%q\n", arguments[1:])
	case "fail":
		fmt.Printf("first\n\x1b[31mthe pod\a cannot be evicted\x1b[0m for %s\n\n", os.Getenv("STACKPOLICY_TOKEN"))
		os.Exit(3)
	case "cut": // the last line has no line break at its end
		fmt.Print("first\nthe disk is full")
		os.Exit(3)
	case "tidy", "stubborn": // a process that is asked to end and says so, or ignores it
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		_ = os.WriteFile(arguments[1], []byte(strconv.Itoa(os.Getpid())), 0o600)
		<-asked
		if arguments[0] == "stubborn" {
			time.Sleep(time.Hour)
		}
		fmt.Println("cleaned up")
	case "stubborn child":
		child := exec.Command(os.Args[0], "stubborn", arguments[1])
		_ = child.Start()
		time.Sleep(time.Hour)
	case "flood":
		fmt.Println(strings.Repeat("y", 1<<20))
		for range 1 << 14 {
			fmt.Println(strings.Repeat("x", 200))
		}
	case "sleep": // a process with a child; both sleep, and the child writes down that it lives
		child := exec.Command(os.Args[0], "child", arguments[1])
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println(err)
		}
		time.Sleep(time.Hour)
	case "child":
		_ = os.WriteFile(arguments[1], []byte(strconv.Itoa(os.Getpid())), 0o600)
		time.Sleep(time.Hour)
	case "leave": // leaves a child behind that holds on to the output
		child := exec.Command(os.Args[0], "child", arguments[1])
		child.Stdout = os.Stdout
		for _ = child.Start(); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(arguments[1]); err == nil {
				return
			}
		}
	}
}

// commandRun runs this binary as a command, and returns what was logged.
func commandRun(ctx context.Context, t *testing.T, m Message, words ...string) (logged []string, err error) {
	t.Helper()
	r := &Runner{AllowCommands: true, Log: func(_ context.Context, _ string, fields map[string]any) {
		if line, ok := fields["output"].(string); ok {
			logged = append(logged, line)
		}
	}}
	spec := Spec{
		Type:        Command,
		Command:     append([]string{os.Args[0]}, words...),
		Environment: []string{"HOOK_TEST_COMMAND", "KUBECONFIG", "NOT_THERE", "STACKPOLICY_TOKEN"},
	}
	command, err := spec.make(r)
	require.NoError(t, err)
	err = command(ctx, m)
	return logged, err
}

func TestCommand(t *testing.T) {
	for _, secret := range []string{"OS_PASSWORD", "NOVA_PASSWORD", "TF_VAR_password", "VAULT_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
		"STACKPOLICY_WEBHOOK_SECRET", "STACKPOLICY_TOKEN", "KUBECONFIG_TOKEN", "kubeconfig", "HOMEBREW_TOKEN"} {
		t.Setenv(secret, "hidden")
	}
	t.Setenv("KUBECONFIG", "/etc/kube")
	t.Setenv("HOME", "/home/ann")
	t.Setenv("PATH", "/usr/bin:/bin") // a long value would be cut
	m := Message{Token: "t-1", NodeID: "n-1", Transition: Launch, Region: "R", NodeName: "web-1", Cluster: "web", Address: "10.0.0.7"}

	logged, err := commandRun(t.Context(), t, m, "environment")
	require.NoError(t, err)
	for _, want := range []string{"STACKPOLICY_NODE_ID=n-1", "STACKPOLICY_NODE_NAME=web-1", "STACKPOLICY_REGION=R", "STACKPOLICY_CLUSTER=web",
		"STACKPOLICY_TRANSITION=launch", "STACKPOLICY_TOKEN=(token)", "STACKPOLICY_ADDRESS=10.0.0.7", "KUBECONFIG=/etc/kube",
		"HOME=/home/ann", "PATH=" + os.Getenv("PATH")} {
		assert.Contains(t, logged, want, "the environment")
	}
	for _, line := range logged {
		assert.NotRegexp(t, "hidden|t-1", line, "the command gets it, or the log does")
	}
	if runtime.GOOS != "windows" && len(logged) != 11 { // facts, PATH, HOME, KUBECONFIG and HOOK_TEST_COMMAND
		t.Errorf("the command gets %q", logged)
	}

	m.Address = ""
	logged, err = commandRun(t.Context(), t, m, "environment")
	assert.NoError(t, err)
	assert.NotContains(t, strings.Join(logged, "\n"), "STACKPOLICY_ADDRESS", "an address that does not exist")

	logged, err = commandRun(t.Context(), t, m, "arguments", "$HOME", "a b", "", "`id`; true")
	assert.NoError(t, err)
	assert.Equal(t, []string{`["$HOME" "a b" "" "` + "`id`" + `; true"]`}, logged)

	logged, err = commandRun(t.Context(), t, m, "fail")
	assert.Regexp(t, `exit status 3; it said last: .*cannot be evicted.* for \(token\)$`, fmt.Sprint(err))
	assert.False(t, strings.ContainsFunc(fmt.Sprint(err, logged), unicode.IsControl), "%q", logged)
	assert.Len(t, logged, 2)

	_, err = commandRun(t.Context(), t, m, "cut")
	assert.Regexp(t, "; it said last: the disk is full$", fmt.Sprint(err))

	logged, err = commandRun(t.Context(), t, m, "flood")
	if size := len(strings.Join(logged, "")); err != nil || size < mostOutput/2 || size > mostOutput {
		t.Errorf("%d bytes were logged, %v", size, err)
	}
	var cut output
	_, _ = cut.Write([]byte("secret " + strings.Repeat(".", mostOutput-len("cret ")-len("\nend")) + "\nend"))
	assert.Equal(t, []string{"end"}, cut.lines("secret"), "a part of the token stays")
}

// TestCommandRefused: no command runs without allow_commands, and a command that cannot start is reported.
func TestCommandRefused(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	spec := Spec{Type: Command, Command: []string{"touch", made}}
	_, err := (&Runner{}).Run(t.Context(), spec, Message{NodeID: "n-1"}, &Progress{})
	assert.ErrorIs(t, err, errCommandsNotAllowed)
	assert.NoFileExists(t, made)
	spec.Command = []string{filepath.Join(t.TempDir(), "nothing")}
	_, err = (&Runner{AllowCommands: true}).Run(t.Context(), spec, Message{}, &Progress{})
	assert.ErrorContains(t, err, "cannot be run: ")
}

// TestCommandEnds: a command ends with its context. It is first asked to end, and later killed, together with its
// children.
func TestCommandEnds(t *testing.T) {
	for _, what := range []string{"sleep", "tidy", "stubborn child"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && what != "sleep" {
				t.Skip("needs signals")
			}
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan []string)
			stop := errors.New("stopped by the user")
			go func() {
				logged, err := commandRun(ctx, t, Message{}, what, file)
				assert.ErrorIs(t, err, stop)
				done <- logged
			}()
			pid := childIn(t, file)
			cancel(stop)
			if logged := <-done; what == "tidy" && !slices.Equal(logged, []string{"cleaned up"}) {
				t.Errorf("logged %q", logged)
			}
			assert.False(t, lives(pid), "a child lives on")
		})
	}
}

// TestCommandLeavesChild: a command that exits with 0 has completed, even if a child of it holds on to the output.
// The child is killed.
func TestCommandLeavesChild(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "child")
	_, err := commandRun(t.Context(), t, Message{}, "leave", file)
	assert.NoError(t, err)
	assert.True(t, runtime.GOOS == "windows" || !lives(childIn(t, file)), "a child lives on")
}

// childIn waits for a process id in a file.
func childIn(t *testing.T, file string) int {
	t.Helper()
	for {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(string(text)); err == nil {
			return pid
		}
		require.NoError(t, t.Context().Err(), "there is no child")
		time.Sleep(10 * time.Millisecond)
	}
}

// lives reports whether a process runs. A process that ended does not run, even if its new parent has not waited for
// it yet.
func lives(pid int) bool {
	if runtime.GOOS != "linux" {
		process, err := os.FindProcess(pid)
		return err == nil && process.Signal(os.Interrupt) == nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}
