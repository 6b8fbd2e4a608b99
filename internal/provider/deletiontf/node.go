package deletiontf

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// nodeModel is a node, and how it is drained: the arguments that the attachment and
// the action have in common.
type nodeModel struct {
	ServerID    types.String `tfsdk:"server_id"`
	Region      types.String `tfsdk:"region"`
	Cluster     types.String `tfsdk:"cluster"`
	NodeName    types.String `tfsdk:"node_name"`
	GracePeriod types.String `tfsdk:"grace_period"`
	Shutdown    types.Bool   `tfsdk:"shutdown"`
	Hook        types.Object `tfsdk:"hook"`
}

// spec returns the hook, or nil without one.
func (m nodeModel) spec() *hook.Spec { return hookblock.Spec(m.Hook) }

const (
	shutdownTime = 5 * time.Minute // Nova gives a guest one minute, then switches it off
	spareTime    = time.Minute     // for the requests before and after the waits
)

func (m nodeModel) Validate(_ context.Context, diags *diag.Diagnostics) {
	hookblock.Validate(m.Hook, diags)
}

// message returns the message to the consumer of the hook.
func (m nodeModel) message(token string) hook.Message {
	return hook.Message{
		Token:      token,
		NodeID:     m.ServerID.ValueString(),
		Transition: hook.Termination,
		Region:     m.Region.ValueString(),
		NodeName:   m.NodeName.ValueString(),
		Cluster:    m.Cluster.ValueString(),
	}
}

// drain returns the drain of the node. The hook continues from the progress of an
// earlier run, and stores its own progress there.
func (m nodeModel) drain(server drain.Server, hooks *hook.Runner, token string, progress *hook.Progress) drain.Drain {
	message := m.message(token)
	d := drain.Drain{
		Node:     message.Node(),
		Server:   server,
		Shutdown: m.shutdown(),
		Grace:    m.grace(),
	}
	if spec := m.spec(); spec != nil {
		d.Hook = func(ctx context.Context) (string, error) { return hooks.Run(ctx, *spec, message, progress) }
	}
	return d
}

// checkHook refuses a hook that the provider block does not allow. One error stands for all nodes.
func (m nodeModel) checkHook(b *backend.Backend, diags *diag.Diagnostics) {
	var refused diag.Diagnostics
	hookblock.CheckAllowed(m.Hook, b.Hooks(), &refused)
	for _, fault := range refused {
		if !b.Walk().Refused.Note(fault.Detail(), true) {
			diags.Append(fault)
		}
	}
}

// shutdown returns true if the argument is null.
func (m nodeModel) shutdown() bool { return m.Shutdown.IsNull() || m.Shutdown.ValueBool() }

func (m nodeModel) grace() time.Duration { return durations.Or(m.GracePeriod, 0) }

// steps returns the steps of a drain in words, or nil if it does nothing.
func (m nodeModel) steps() (steps []string) {
	if spec := m.spec(); spec != nil {
		steps = append(steps, text.Clean(spec.Type)+" hook")
	}
	if grace := m.grace(); grace > 0 {
		steps = append(steps, "grace period of "+duration.Format(grace))
	}
	if m.shutdown() {
		steps = append(steps, "shutdown")
	}
	return steps
}

// label returns the name of the node in a list.
func (m nodeModel) label() string {
	return text.Clean(cmp.Or(m.NodeName.ValueString(), m.ServerID.ValueString()))
}

// limit returns how long a drain may take.
func (m nodeModel) limit() time.Duration {
	total := m.grace() + spareTime
	if spec := m.spec(); spec != nil {
		total += spec.Limit()
	}
	if m.shutdown() {
		total += shutdownTime
	}
	return total
}

// server returns the model's server, and fills in the region.
func (m *nodeModel) server(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) openstack.Server {
	_, compute := b.Compute(ctx, &m.Region, diags)
	return openstack.Server{Compute: compute, ID: m.ServerID.ValueString()}
}

// elsewhere returns a sentence saying that a server is not in its region, and the
// region that has it, or "" if no other region has it either.
func elsewhere(ctx context.Context, b *backend.Backend, server openstack.Server) (said, is string) {
	said = fmt.Sprintf("The region %q has no server %q.", server.Compute.Region, server.ID)
	var diags diag.Diagnostics
	cloud := b.Get(ctx, &diags)
	if cloud == nil {
		return said, ""
	}
	regions, err := cloud.ComputeRegions(ctx)
	if err != nil {
		return said, ""
	}
	for _, region := range regions {
		compute, err := cloud.Compute(ctx, region)
		if err != nil || region == server.Compute.Region {
			continue
		}
		if status, err := (openstack.Server{Compute: compute, ID: server.ID}).Status(ctx); err == nil && status != "" {
			return said + fmt.Sprintf(" The region %q has it: give that region.", region), region
		}
	}
	return said, ""
}
