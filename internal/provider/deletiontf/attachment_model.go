package deletiontf

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

type attachmentModel struct {
	ID            types.String   `tfsdk:"id"`
	ServerID      types.String   `tfsdk:"server_id"`
	Region        types.String   `tfsdk:"region"`
	Cluster       types.String   `tfsdk:"cluster"`
	NodeName      types.String   `tfsdk:"node_name"`
	Enabled       types.Bool     `tfsdk:"enabled"`
	GracePeriod   value.Whole    `tfsdk:"grace_period"`
	Shutdown      types.Bool     `tfsdk:"shutdown"`
	OnlyInService types.Bool     `tfsdk:"only_in_service"`
	Hook          types.Object   `tfsdk:"hook"`
	Token         types.String   `tfsdk:"lifecycle_action_token"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
}

type attachmentIdentityModel struct {
	Region   types.String `tfsdk:"region"`
	ServerID types.String `tfsdk:"server_id"`
}

const (
	shutdownTime = 5 * time.Minute // Nova itself gives a guest one, then switches it off
	spareTime    = time.Minute     // for the requests around the waiting
)

// validate checks what is known of the arguments.
func (m attachmentModel) validate(ctx context.Context, diags *diag.Diagnostics) {
	hookblock.Validate(m.Hook, path.Root("hook"), diags)
	limit, more := m.Timeouts.Delete(ctx, time.Hour)
	if diags.Append(more...); limit <= 0 {
		diags.AddAttributeError(path.Root("timeouts").AtName("delete"), "Invalid timeout",
			fmt.Sprintf("The time that a destruction may take must be more than zero, not %s.", limit))
	}
}

// identify fills in what is worked out.
func (m *attachmentModel) identify() {
	m.ID = types.StringValue(m.Region.ValueString() + "/" + m.ServerID.ValueString())
	if m.Token.ValueString() == "" {
		m.Token = types.StringValue(rand.Text())
	}
}

func (m attachmentModel) identity() attachmentIdentityModel {
	return attachmentIdentityModel{Region: m.Region, ServerID: m.ServerID}
}

// message is what the consumer of the hook gets.
func (m attachmentModel) message() hook.Message {
	return hook.Message{
		Token:      m.Token.ValueString(),
		NodeID:     m.ServerID.ValueString(),
		Transition: hook.Termination,
		Region:     m.Region.ValueString(),
		NodeName:   m.NodeName.ValueString(),
		Cluster:    m.Cluster.ValueString(),
	}
}

// drain is what must happen before the node is removed. The hook goes on from the
// progress of an earlier run, and notes its own there.
func (m attachmentModel) drain(server drain.Server, hooks *hook.Runner, progress *hook.Progress) drain.Drain {
	message := m.message()
	d := drain.Drain{
		Node:          message.Node(),
		Server:        server,
		Shutdown:      m.Shutdown.ValueBool(),
		Grace:         m.grace(),
		OnlyInService: m.OnlyInService.ValueBool(),
	}
	if spec := hookblock.Spec(m.Hook); spec != nil {
		d.Hook = func(ctx context.Context) (string, error) { return hooks.Run(ctx, *spec, message, progress) }
	}
	return d
}

func (m attachmentModel) grace() time.Duration {
	return time.Duration(m.GracePeriod.ValueInt64()) * time.Second
}

// steps says in words what the destruction does, and nil where it does nothing.
func (m attachmentModel) steps() (steps []string) {
	if !m.enabled() {
		return nil
	}
	if spec := hookblock.Spec(m.Hook); spec != nil {
		steps = append(steps, text.Clean(spec.Type)+" hook")
	}
	if m.Shutdown.ValueBool() {
		steps = append(steps, "shutdown")
	}
	if grace := m.grace(); grace > 0 {
		steps = append(steps, fmt.Sprintf("grace period of %s", grace))
	}
	return steps
}

// enabled is true where nothing is said, as in a state without the argument.
func (m attachmentModel) enabled() bool { return m.Enabled.IsNull() || m.Enabled.ValueBool() }

// warn says which server the plan drains. No name is in the title: Terraform joins
// warnings that have one title and come from one block of the configuration. Where
// the block is gone, and servers may be drained by mistake, it shows each.
func (m attachmentModel) warn(diags *diag.Diagnostics) {
	steps := m.steps()
	if steps == nil {
		return
	}
	when := ""
	if m.OnlyInService.ValueBool() {
		when = " if it was in service"
	}
	diags.AddWarning("Servers will be drained before they leave", fmt.Sprintf("%s is drained%s: %s. If the server stays: use a moved block, or a removed block with destroy = false, or apply enabled = false first.",
		m.message().Node(), when, strings.Join(steps, ", ")))
}

// longest is how long all of it may take.
func (m attachmentModel) longest() time.Duration {
	total := m.grace() + spareTime
	if spec := hookblock.Spec(m.Hook); spec != nil {
		total += spec.Limit()
	}
	if m.Shutdown.ValueBool() {
		total += shutdownTime
	}
	return total
}
