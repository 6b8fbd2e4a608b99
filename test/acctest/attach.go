package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/openstackstub"
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

// served is a provider that listens until the context ends.
type served func(ctx context.Context, t *testing.T, address string, configs chan *plugin.ReattachConfig) error

// attach serves the providers of this tree for one command of terraform. It makes new ones for each command, as
// terraform would start them. It returns the value of TF_REATTACH_PROVIDERS.
func attach(ctx context.Context, t *testing.T) (string, context.CancelFunc, error) {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx)) // terraform ends first
	providers := map[string]served{}
	for name, factory := range Factories() {
		providers["stackpolicy/"+name] = serve(factory)
	}
	if workspace.Stub() != "" {
		providers[workspace.OpenStack] = serveStub
	}
	all := map[string]attached{}
	for name, serve := range providers {
		address := "registry.terraform.io/" + name
		configs, failed := make(chan *plugin.ReattachConfig), make(chan error, 1)
		go func() { failed <- serve(ctx, t, address, configs) }()
		select {
		case c := <-configs:
			a := attached{Protocol: string(c.Protocol), ProtocolVersion: c.ProtocolVersion, Pid: c.Pid, Test: c.Test}
			a.Addr.Network, a.Addr.String = c.Addr.Network(), c.Addr.String()
			all[address], all["registry.opentofu.org/"+name] = a, a
		case err := <-failed:
			end()
			return "", nil, errors.Join(errors.New("the provider "+name+" ended"), err)
		}
	}
	text, err := json.Marshal(all)
	return string(text), end, err
}

// serve serves the provider that a factory makes.
func serve(factory func() (tfprotov6.ProviderServer, error)) served {
	return func(ctx context.Context, t *testing.T, address string, configs chan *plugin.ReattachConfig) error {
		server, err := factory()
		if err != nil {
			return err
		}
		return tf6server.Serve(address, func() tfprotov6.ProviderServer { return server },
			tf6server.WithDebug(ctx, configs, make(chan struct{})), tf6server.WithGoPluginLogger(hclog.NewNullLogger()),
			tf6server.WithLoggingSink(t), tf6server.WithoutLogStderrOverride())
	}
}

// serveStub serves the stand-in for terraform-provider-openstack, which has an older protocol.
func serveStub(ctx context.Context, t *testing.T, address string, configs chan *plugin.ReattachConfig) error {
	server := openstackstub.New().GRPCProvider()
	return tf5server.Serve(address, func() tfprotov5.ProviderServer { return server },
		tf5server.WithDebug(ctx, configs, make(chan struct{})), tf5server.WithGoPluginLogger(hclog.NewNullLogger()),
		tf5server.WithLoggingSink(t), tf5server.WithoutLogStderrOverride())
}
