package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const plans = "../../internal/planview/testdata/"

func TestRun(t *testing.T) {
	t.Parallel()
	plan, err := os.ReadFile(plans + "shrink.json")
	require.NoError(t, err)
	other, evil := filepath.Join(t.TempDir(), "other.json"), filepath.Join(t.TempDir(), "evil.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"format_version": "1.2", "planned_values": {}}`), 0o600))
	require.NoError(t, os.WriteFile(evil, []byte(`{"format_version": "1.2", "resource_changes": [{"address": "a\u009b2J\u001b[2J", `+
		`"type": "stackpolicy_placement_attachment", "mode": "managed", "change": {}}]}`), 0o600))
	for _, c := range []struct {
		args   []string
		code   int
		stdout string // file that is the standard output
		stderr string
	}{
		{nil, 0, "shrink.md", ""},
		{[]string{"-"}, 0, "shrink.md", ""},
		{[]string{plans + "batch.json"}, 0, "batch.md", ""},
		{[]string{"-colour"}, 2, "", "flag provided but not defined: -colour"},
		{[]string{"a", "b"}, 2, "", "give one file, not 2"},
		{[]string{"/does/not/exist"}, 1, "", "no such file"},
		{[]string{plans + "shrink.md"}, 1, "", "this is not the JSON of a plan"},
		{[]string{"-warnings", plans + "shrink.md"}, 1, "", "the log is not one of"},
		{[]string{evil}, 1, "", `a\u009b2J\x1b[2J: the actions "" are not known`},
		{[]string{other}, 3, "", "the plan has no stackpolicy_placement_attachment"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(c.args, bytes.NewReader(plan), &stdout, &stderr)
		var want []byte
		if c.stdout != "" {
			want, err = os.ReadFile(plans + c.stdout)
			require.NoError(t, err)
		}
		if code != c.code || stdout.String() != string(want) || !strings.Contains(stderr.String(), c.stderr) || (code == 0) != (stderr.Len() == 0) {
			t.Errorf("%q: exit code %d, and on stderr %q", c.args, code, stderr.String())
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{"-h": usage, "--help": usage, "-version": "planview "} {
		var stdout, stderr bytes.Buffer
		if code := run([]string{arg}, nil, &stdout, &stderr); code != 0 || !strings.HasPrefix(stdout.String(), want) || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, %q", arg, code, stdout.String(), stderr.String())
		}
	}
}

// TestTerminal: a device is a terminal, and anything else is none.
func TestTerminal(t *testing.T) {
	t.Parallel()
	device, err := os.Open(os.DevNull) // a device, as a terminal is
	require.NoError(t, err)
	defer device.Close()
	assert.True(t, terminal(device))
	assert.False(t, terminal(new(bytes.Buffer)))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestBrokenOutput: a full disk is not a success.
func TestBrokenOutput(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if code := run([]string{plans + "shrink.json"}, nil, broken{}, &stderr); code != 1 || !strings.Contains(stderr.String(), "closed") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}
