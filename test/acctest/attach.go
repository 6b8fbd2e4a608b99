package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/workspace"
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
