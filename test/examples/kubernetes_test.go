package examples_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl is a stand-in for the real one: it records its calls, and knows each node from the second question on.
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

// joining has the variables that workers need to join.
var joining = []string{"TF_VAR_api_server=10.0.0.1:6443", "TF_VAR_ca_hash=sha256:" + strings.Repeat("0", 64), "TF_VAR_join_token=abcdef.0123456789abcdef"}

// kube returns a folder with a kubectl and its data, and an environment for it.
func kube(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, workspace.WriteProgram(filepath.Join(dir, "kubectl"), []byte(kubectl)))
	return dir, []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// calls returns the calls of kubectl about one node, in their order, and forgets them.
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
	joins = "get node NAME --ignore-not-found --output=name; get node NAME --ignore-not-found --output=name; wait --for=condition=Ready node/NAME " +
		"--timeout=15m"
	leaves = "get node NAME --ignore-not-found --output=name; drain NAME --ignore-daemonsets --delete-emptydir-data; delete node NAME"
)

// asked compares the calls of kubectl about nodes with the wanted ones.
func asked(t *testing.T, dir, want string, names ...string) {
	t.Helper()
	for _, name := range names {
		assert.Equal(t, strings.ReplaceAll(want, "NAME", name), calls(t, dir, name), "kubectl was called for %s", name)
	}
}

// TestAccExample_kubernetesCommand: commands wait for workers, and drain them. With a new image for one of two
// workers the new worker joins and is Ready before the old one is drained, and the old one stays while it cannot be
// drained.
func TestAccExample_kubernetesCommand(t *testing.T) {
	dir, env := kube(t)
	e := start(t, "guides/kubernetes-workers/command")
	e.Env = append(append(e.Env, joining...), env...)
	e.apply(t, "size=2")
	before := e.servers(t)
	asked(t, dir, joins, slices.Collect(maps.Keys(before))...)
	assert.Empty(t, e.planned(t, "size=2", "join_token=fedcba.9876543210fedcba"), "another token of today replaces nothing")

	stuck := filepath.Join(dir, "stuck")
	require.NoError(t, os.WriteFile(stuck, nil, 0o600))
	e.fails(t, "cannot evict pod", "size=2", "image=debian-13")
	assert.Len(t, e.servers(t), 3, "a worker that cannot be drained stays")
	asked(t, dir, joins, "web-2")
	require.NoError(t, errors.Join(os.Remove(stuck), os.Remove(filepath.Join(dir, "calls"))))
	acctest.Apply(t, e.Workspace, "size=2", "image=debian-13")
	after := e.servers(t)
	kept(t, before, after, 2)
	for name := range before {
		if _, stays := after[name]; !stays {
			asked(t, dir, leaves, name)
		}
	}
	asked(t, dir, "", slices.Collect(maps.Keys(after))...)
}

// TestAccExample_kubernetesWebhook: a consumer in the cluster waits for workers, and drains them.
func TestAccExample_kubernetesWebhook(t *testing.T) {
	dir, env := kube(t)
	script, err := filepath.Abs("guides/kubernetes-workers/command/node.sh")
	require.NoError(t, err)
	address := consume(t, script, env...)
	e := start(t, "guides/kubernetes-workers/webhook")
	e.Env = append(append(e.Env, joining...), "STACKPOLICY_WEBHOOK_SECRET="+webhookSecret)
	url := "drain_url=http://" + address + "/nodes"
	e.apply(t, "size=2", url)
	asked(t, dir, joins, "web-0", "web-1")
	e.apply(t, "size=1", url)
	one := e.servers(t)
	for _, name := range []string{"web-0", "web-1"} {
		if _, stays := one[name]; stays {
			asked(t, dir, "", name)
		} else {
			asked(t, dir, leaves, name)
		}
	}
	assert.Len(t, one, 1, "servers")
}
