package readinesstf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/probe"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
)

// checksModel has the arguments that say when a server of a cluster is in service, and how
// long to wait for that.
type checksModel struct {
	Cluster   types.String `tfsdk:"cluster"`
	HTTP      types.Object `tfsdk:"http"`
	TCP       types.Object `tfsdk:"tcp"`
	Hook      types.Object `tfsdk:"hook"`
	StableFor types.String `tfsdk:"stable_for"`
	Timeout   types.String `tfsdk:"timeout"`

	AllowLinkLocal types.Bool `tfsdk:"allow_link_local"`
}

// read returns the checks that are known, and reports their faults.
func (m checksModel) read(diags *diag.Diagnostics) (http *probe.HTTP, tcp *probe.TCP) {
	http, tcp = probeblock.Read(m.HTTP, m.TCP, m.AllowLinkLocal.ValueBool(), path.Empty(), diags)
	if durations.Known(m.Timeout) && durations.Known(m.StableFor) && m.stableFor() >= m.limit() {
		diags.AddAttributeError(path.Root("stable_for"), "Not enough time",
			fmt.Sprintf("No server could be stable for %s within a timeout of %s. Raise timeout, or lower stable_for.",
				duration.Format(m.stableFor()), duration.Format(m.limit())))
	}
	hookblock.Validate(m.Hook, diags)
	return http, tcp
}

// asks reports whether there is a check of the service.
func (m checksModel) asks() bool {
	return value.GivenBlock(m.HTTP) || value.GivenBlock(m.TCP) || value.GivenBlock(m.Hook)
}

// checkAddress refuses an address that cannot be checked over the network. At is its path.
func (m checksModel) checkAddress(
	name string, address types.String, http *probe.HTTP, tcp *probe.TCP, at path.Path, diags *diag.Diagnostics,
) {
	if address.IsUnknown() || (http == nil && tcp == nil) {
		return
	}
	var err error
	if tcp != nil || http.URL.NeedsAddress() {
		err = probe.CheckAddress(address.ValueString())
		if err == nil && !m.AllowLinkLocal.IsUnknown() {
			err = probe.CheckRange(address.ValueString(), m.AllowLinkLocal.ValueBool())
		}
	}
	if err == nil && http != nil {
		_, err = http.URL.For(name, address.ValueString())
	}
	if err != nil {
		diags.AddAttributeError(at, "Unusable address",
			fmt.Sprintf("The node %q cannot be checked over the network: %s. Give an address that can be reached "+
				"from where Terraform runs, or leave out http and tcp.", name, err))
	}
}

func (m checksModel) limit() time.Duration { return durations.Or(m.Timeout, defaultTimeout) }

func (m checksModel) stableFor() time.Duration { return durations.Or(m.StableFor, 0) }

// waiter returns the waiter with the checks of a configuration that is completely known.
func (m checksModel) waiter(http *probe.HTTP, tcp *probe.TCP, hooks *hook.Runner) *readiness.Waiter {
	w := &readiness.Waiter{HTTP: http, TCP: tcp, StableFor: m.stableFor(), Timeout: m.limit()}
	if w.HTTP != nil {
		w.HTTP.Client = hooks.HTTP
	}
	if spec := hookblock.Spec(m.Hook); spec != nil {
		w.Hook = func(ctx context.Context, n readiness.Node) (string, error) {
			warning, err := hooks.Run(ctx, *spec, m.message(n), &hook.Progress{})
			if abandoned, ok := errors.AsType[*hook.AbandonedError](err); ok {
				err = fmt.Errorf("its hook did not complete: %w",
					errors.Unwrap(errors.Unwrap(abandoned))) // the outer errors name the node
			}
			return warning, err
		}
	}
	return w
}

// message returns the message to the consumer of a hook about a node.
func (m checksModel) message(n readiness.Node) hook.Message {
	return hook.Message{Token: n.Token(), NodeID: n.ID, Transition: hook.Launch, Region: n.Region, NodeName: n.Name,
		Cluster: m.Cluster.ValueString(), Address: probe.PlainAddress(n.Address)}
}
