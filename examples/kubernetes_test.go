package examples_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/require"
)

// kubectl stands in for the real one: it records its calls, and knows each node
// from the second question after it on.
const kubectl = `#!/bin/sh
KUBE=${0%/*}
echo "$@" >>"$KUBE/calls"
case "$1 $2" in
"get node")
	if [ -e "$KUBE/$3" ]; then echo "node/$3"; fi
	touch "$KUBE/$3" ;;
"delete node")
	rm "$KUBE/$3" ;;
"drain $2")
	if [ -e "$KUBE/stuck" ]; then echo "cannot evict pod: it would violate the disruption budget" >&2; exit 1; fi ;;
esac
`

// joining is what workers need to join.
var joining = []string{"TF_VAR_api_server=10.0.0.1:6443", "TF_VAR_ca_hash=sha256:" + strings.Repeat("0", 64), "TF_VAR_join_token=abcdef.0123456789abcdef"}

// kube is a folder with a kubectl and what it knows, and an environment for it.
func kube(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, workspace.WriteProgram(filepath.Join(dir, "kubectl"), []byte(kubectl)))
	return dir, []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// calls are those of a kubectl about one node, in their order, and forgotten.
func calls(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var list, others []string
	for line := range strings.Lines(string(text)) {
		if slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '/' || r == '\n' }), name) {
			list = append(list, strings.TrimSpace(line))
		} else {
			others = append(others, line)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "calls"), []byte(strings.Join(others, "")), 0o600))
	return strings.Join(list, "; ")
}

const (
	joins  = "get node NAME --ignore-not-found --output=name; get node NAME --ignore-not-found --output=name; wait --for=condition=Ready node/NAME --timeout=15m"
	leaves = "get node NAME --ignore-not-found --output=name; drain NAME --ignore-daemonsets --delete-emptydir-data; delete node NAME"
)

// follow grows and shrinks workers, and holds what kubectl is asked to that.
func (e example) follow(t *testing.T, dir string, variables ...string) {
	t.Helper()
	asked := func(name, want string) {
		t.Helper()
		if got := calls(t, dir, name); got != strings.ReplaceAll(want, "NAME", name) {
			t.Errorf("%s: kubectl was called with %q, want %q", name, got, want)
		}
	}
	e.apply(t, variables...)
	three := e.servers(t)
	for name := range three {
		asked(name, joins)
	}
	shrink := append([]string{"size=2"}, variables...)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stuck"), nil, 0o600))
	if _, err := e.Apply(t.Context(), shrink...); err == nil || len(e.servers(t)) != 3 {
		t.Errorf("a worker that cannot be drained stays: %v, servers %v", err, e.servers(t))
	}
	require.NoError(t, errors.Join(os.Remove(filepath.Join(dir, "stuck")), os.Remove(filepath.Join(dir, "calls"))))
	e.apply(t, shrink...)
	two := e.servers(t)
	kept(t, three, two, 2)
	for name := range three {
		if _, stays := two[name]; stays {
			asked(name, "")
		} else {
			asked(name, leaves)
		}
	}
}

// rollOut brings a new image to one of two workers: the new one joins and is
// Ready before an old one is drained.
func (e example) rollOut(t *testing.T, dir string, variables ...string) {
	t.Helper()
	before := e.servers(t)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "calls")))
	// Another token of today replaces nothing.
	if text := e.apply(t, append([]string{"size=2", "join_token=fedcba.9876543210fedcba"}, variables...)...); !strings.Contains(text, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("another token: %s", text)
	}
	if _, err := e.Apply(t.Context(), append([]string{"size=2", "image=debian-13"}, variables...)...); err != nil {
		t.Fatal(err)
	}
	after := e.servers(t)
	kept(t, before, after, 2)
	var come, gone string
	for name := range after {
		if _, there := before[name]; !there {
			come = name
		}
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			gone = name
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	want := strings.ReplaceAll(joins, "NAME", come) + "; " + strings.ReplaceAll(leaves, "NAME", gone)
	if got := strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; "); err != nil || got != want {
		t.Errorf("%v: kubectl was called with\n%s\nwant\n%s", err, got, want)
	}
}

// TestAccExample_kubernetesCommand: commands wait for a worker, and drain it.
func TestAccExample_kubernetesCommand(t *testing.T) {
	dir, env := kube(t)
	e := start(t, "guides/kubernetes-workers/command")
	e.Env = append(append(e.Env, joining...), env...)
	e.follow(t, dir)
	e.rollOut(t, dir)
}

// TestAccExample_kubernetesWebhook: a consumer in the cluster does it.
func TestAccExample_kubernetesWebhook(t *testing.T) {
	dir, env := kube(t)
	script, err := filepath.Abs("guides/kubernetes-workers/command/node.sh")
	require.NoError(t, err)
	address := consume(t, script, env...)
	e := start(t, "guides/kubernetes-workers/webhook")
	e.Env = append(append(e.Env, joining...), "STACKPOLICY_WEBHOOK_SECRET="+webhookSecret)
	e.follow(t, dir, "drain_url=http://"+address+"/nodes")
}
