package deletiontf

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

type attachmentModel struct {
	ID            types.String    `tfsdk:"id"`
	ServerID      types.String    `tfsdk:"server_id"`
	Region        types.String    `tfsdk:"region"`
	Cluster       types.String    `tfsdk:"cluster"`
	NodeName      types.String    `tfsdk:"node_name"`
	Enabled       types.Bool      `tfsdk:"enabled"`
	GracePeriod   durations.Value `tfsdk:"grace_period"`
	Shutdown      types.Bool      `tfsdk:"shutdown"`
	OnlyInService types.Bool      `tfsdk:"only_in_service"`
	Hook          types.Object    `tfsdk:"hook"`
	Token         types.String    `tfsdk:"lifecycle_action_token"`
	Timeouts      types.Object    `tfsdk:"timeouts"`
}

type attachmentIdentityModel struct {
	Region   types.String `tfsdk:"region"`
	ServerID types.String `tfsdk:"server_id"`
}

const (
	shutdownTime = 5 * time.Minute // Nova itself gives a guest one, then switches it off
	spareTime    = time.Minute     // for the requests around the waiting
)

// Validate implements backend.Model.
func (m attachmentModel) Validate(_ context.Context, diags *diag.Diagnostics) {
	hookblock.Validate(m.Hook, path.Root("hook"), diags)
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

func (m attachmentModel) grace() time.Duration { return m.GracePeriod.Or(0) }

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
		steps = append(steps, "grace period of "+duration.Format(grace))
	}
	return steps
}

// enabled is true where nothing is said, as in a state without the argument.
func (m attachmentModel) enabled() bool { return m.Enabled.IsNull() || m.Enabled.ValueBool() }

// moved is the advice where servers stay. It has placeholders, because a provider does
// not know the addresses of its resources.
const moved = `

  moved {
    from = stackpolicy_deletion_attachment.OLD_NAME
    to   = stackpolicy_deletion_attachment.NEW_NAME
  }

`

// leave reports that the plan destroys the attachment, in one warning with the
// others that it destroys.
func (m attachmentModel) leave(ctx context.Context, walk *backend.Walk, diags *diag.Diagnostics) {
	steps := m.steps()
	if steps == nil {
		return
	}
	if walk.Detach(m.ServerID.ValueString()) {
		m.refuse(ctx, walk, diags)
		return
	}
	how := strings.Join(steps, ", ")
	if m.OnlyInService.ValueBool() {
		how += ", if it was in service"
	}
	var names, ways []string
	for _, leaving := range walk.Gather(ctx, "leave", m.label()+"\t"+how) {
		name, how, _ := strings.Cut(leaving, "\t")
		names = append(names, name)
		if !slices.Contains(ways, how) {
			ways = append(ways, how)
		}
	}
	if names == nil {
		return
	}
	// The title counts all servers so far, so several of these warnings differ: Terraform
	// merges those that do not.
	diags.AddWarning(fmt.Sprintf("%s will be drained", text.Count(int64(walk.Detached()), "server")), fmt.Sprintf(
		"This plan destroys the deletion attachments of %s. Each server is drained: %s. "+
			"A server that this plan does not destroy is drained anyway. "+
			"If servers stay because a block was renamed or has other keys, add:%sIf they stay without attachments, "+
			"use a removed block with destroy = false, or apply enabled = false first.",
		text.Few(names), text.And(ways), moved))
}

// stay notes that the server has this attachment after the plan, and refuses a
// plan that destroys another one of it. Without that, renaming a block would drain
// all servers that are in use.
func (m attachmentModel) stay(ctx context.Context, walk *backend.Walk, diags *diag.Diagnostics) {
	if value.Given(m.ServerID) && walk.Attach(m.ServerID.ValueString()) {
		m.refuse(ctx, walk, diags)
	}
}

func (m attachmentModel) refuse(ctx context.Context, walk *backend.Walk, diags *diag.Diagnostics) {
	names := walk.Gather(ctx, "Servers that stay would be drained", m.label())
	if names == nil {
		return
	}
	diags.AddError(
		"Servers that stay would be drained",
		fmt.Sprintf("This plan destroys the deletion attachment of %s, and keeps or "+
			"makes another one for the same: %s. Destroying it drains the server, which stays. "+
			"If a block was renamed or has other keys, add:%s"+
			"To give an attachment up without draining its server, use a removed block with destroy = false, or "+
			"terraform state rm.",
			text.Count(int64(len(names)), "server"), text.Few(names), moved),
	)
}

// label names the node in a list.
func (m attachmentModel) label() string {
	return text.Clean(cmp.Or(m.NodeName.ValueString(), m.ServerID.ValueString()))
}

// limit is how long all of it may take.
func (m attachmentModel) limit() time.Duration {
	if given, ok := m.Timeouts.Attributes()["delete"].(durations.Value); ok && value.Given(given) {
		return given.Or(0)
	}
	total := m.grace() + spareTime
	if spec := hookblock.Spec(m.Hook); spec != nil {
		total += spec.Limit()
	}
	if m.Shutdown.ValueBool() {
		total += shutdownTime
	}
	return total
}
