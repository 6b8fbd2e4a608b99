package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
	"github.com/stretchr/testify/require"
)

// attached is a provider in TF_REATTACH_PROVIDERS.
type attached struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool
	Addr            struct{ Network, String string }
}

// attach serves the provider of this tree from this process for one command of terraform. It makes a new one for each
// command, as terraform would start it.
func attach(ctx context.Context, t *testing.T) (workspace.Attached, context.CancelFunc, error) {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx)) // terraform ends first
	address := "registry.terraform.io/" + workspace.StackPolicy
	configs, failed := make(chan *plugin.ReattachConfig), make(chan error, 1)
	go func() { failed <- serve(ctx, t, address, configs) }()
	select {
	case c := <-configs:
		a := attached{Protocol: string(c.Protocol), ProtocolVersion: c.ProtocolVersion, Pid: c.Pid, Test: c.Test}
		a.Addr.Network, a.Addr.String = c.Addr.Network(), c.Addr.String()
		text, err := json.Marshal(a)
		return workspace.Attached{address: text, "registry.opentofu.org/" + workspace.StackPolicy: text}, end, err
	case err := <-failed:
		end()
		return nil, nil, errors.Join(errors.New("the provider ended"), err)
	}
}

// serve serves the provider until the context ends.
func serve(ctx context.Context, t *testing.T, address string, configs chan *plugin.ReattachConfig) error {
	server, err := provider.NewServer("test")
	if err != nil {
		return err
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return server },
		tf6server.WithDebug(ctx, configs, make(chan struct{})), tf6server.WithGoPluginLogger(hclog.NewNullLogger()),
		tf6server.WithLoggingSink(t), tf6server.WithoutLogStderrOverride())
}

// attachOpenStack serves terraform-provider-openstack by a process that stays until the test ends, and returns a folder
// for the test framework to work in. Each step of a test has about ten commands of terraform, each of which would start
// the provider up to three times; that took a third of the time.
func attachOpenStack(t *testing.T) string {
	t.Helper()
	program, err := openStack()
	require.NoError(t, err)
	dir := t.TempDir()
	served := &workspace.Served{Programs: map[string]string{workspace.OpenStack: program}}
	t.Cleanup(served.Close)
	all, err := served.Attach(t.Context(), &workspace.Workspace{Dir: dir})
	require.NoError(t, err)
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "attached"), text[1:len(text)-1], 0o600))
	return dir
}

// attaching lets the test framework run terraform through a script. The framework sets TF_REATTACH_PROVIDERS to the
// providers that it serves, and has no way to add others: the script adds those of [attachOpenStack].
func attaching(terraform string) error {
	dir, err := temporary()
	if err != nil {
		return err
	}
	os.Setenv("TF_ACC_TEMP_DIR", dir)
	script := filepath.Join(dir, "terraform")
	os.Setenv("TF_ACC_TERRAFORM_PATH", script)
	return workspace.WriteProgram(script, fmt.Appendf(nil, `#!/bin/sh
case ${TF_REATTACH_PROVIDERS:-} in
*:*) if [ -f ../attached ]; then
	read -r more <../attached
	export TF_REATTACH_PROVIDERS="${TF_REATTACH_PROVIDERS%%?},$more}"
fi ;;
esac
exec '%s' "$@"
`, terraform))
}
