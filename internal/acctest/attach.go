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
)

// attached is a provider in TF_REATTACH_PROVIDERS.
type attached struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool
	Addr            struct{ Network, String string }
}

// attach serves the providers of this tree for one command of terraform: new
// ones each time, as terraform would start them. It returns the value of
// TF_REATTACH_PROVIDERS.
func attach(ctx context.Context, t *testing.T) (string, context.CancelFunc, error) {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx)) // terraform ends first
	all := map[string]attached{}
	for name, factory := range Factories() {
		server, err := factory()
		if err != nil {
			end()
			return "", nil, err
		}
		address := "registry.terraform.io/stackpolicy/" + name
		configs, closed, failed := make(chan *plugin.ReattachConfig), make(chan struct{}), make(chan error, 1)
		go func() {
			failed <- tf6server.Serve(
				address,
				func() tfprotov6.ProviderServer { return server },
				tf6server.WithDebug(ctx, configs, closed),
				tf6server.WithGoPluginLogger(hclog.NewNullLogger()),
				tf6server.WithLoggingSink(t),
				tf6server.WithoutLogStderrOverride(),
			)
		}()
		select {
		case c := <-configs:
			a := attached{Protocol: string(c.Protocol), ProtocolVersion: c.ProtocolVersion, Pid: c.Pid, Test: c.Test}
			a.Addr.Network, a.Addr.String = c.Addr.Network(), c.Addr.String()
			all[address], all["registry.opentofu.org/stackpolicy/"+name] = a, a
		case err := <-failed:
			end()
			return "", nil, errors.Join(errors.New("the provider "+name+" ended"), err)
		}
	}
	text, err := json.Marshal(all)
	return string(text), end, err
}
