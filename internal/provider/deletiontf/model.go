package deletiontf

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
)

type attachmentModel struct {
	nodeModel

	Enabled  types.Bool   `tfsdk:"enabled"`
	Timeouts types.Object `tfsdk:"timeouts"`
}

type attachmentIdentityModel struct {
	Region   types.String `tfsdk:"region"`
	ServerID types.String `tfsdk:"server_id"`
}

func (m attachmentModel) identity() attachmentIdentityModel {
	return attachmentIdentityModel{Region: m.Region, ServerID: m.ServerID}
}

// steps returns the steps of the destruction in words, or nil if it does nothing.
func (m attachmentModel) steps() []string {
	if !m.enabled() {
		return nil
	}
	return m.nodeModel.steps()
}

// enabled returns true if the argument is null, as in a state without it.
func (m attachmentModel) enabled() bool {
	return m.Enabled.IsNull() || m.Enabled.ValueBool()
}

// keep is the advice for servers that stay.
const keep = "if a block was renamed or has other keys, add:" + moved + "If the servers stay without attachments, " +
	"use a removed block with destroy = false, or apply enabled = false first."

// moved has placeholders, because a provider does not know the addresses of its resources.
const moved = `

  moved {
    from = stackpolicy_deletion_attachment.OLD_NAME
    to   = stackpolicy_deletion_attachment.NEW_NAME
  }

`

// spared reports whether a destruction does not drain the server, because it is known to be gone or never served.
func (m attachmentModel) spared(ctx context.Context, b *backend.Backend) bool {
	var unread diag.Diagnostics
	s := m.server(ctx, b, &unread)
	if unread.HasError() {
		return false
	}
	if exists, err := s.Exists(ctx); err != nil || !exists {
		return err == nil
	}
	state, err := s.State(ctx)
	return err == nil && drain.NeverServed(state)
}

// leave warns that the plan destroys the attachment, unless its node leaves: then the drain is what is wanted.
func (m attachmentModel) leave(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) {
	steps, walk, server := m.steps(), b.Walk(), m.ServerID.ValueString()
	if steps == nil {
		return
	}
	walk.Detached.Note(server, true)
	if _, stays := walk.Attached.Noted(server); stays {
		m.refuse(walk, diags)
		return
	}
	if leaves(walk, server) || m.spared(ctx, b) {
		return
	}
	diags.AddWarning("Servers will be drained", fmt.Sprintf("%s: %s. This plan destroys its deletion attachment. "+
		"If the node stays: %s", m.label(), strings.Join(steps, ", "), keep))
}

// leaves reports whether the node of a server leaves: the plan of its placement attachment says so, to which a
// deletion attachment refers by its server, or all is destroyed. A plan to destroy reads nothing.
func leaves(walk *backend.Walk, server string) bool {
	_, leaves := walk.Leaving.Noted(server)
	_, used := walk.InUse.Noted(server)
	return leaves || !used && !walk.Refreshed.Load()
}

// stay notes that the server has this attachment after the plan, and refuses a plan
// that destroys another attachment of the server: otherwise renaming a block would
// drain all servers in use. If -replace or a taint makes an attachment again, Terraform
// plans only the new one.
func (m attachmentModel) stay(walk *backend.Walk, created bool, diags *diag.Diagnostics) {
	server := m.ServerID.ValueString()
	if !value.Given(m.ServerID) {
		return
	}
	walk.Attached.Note(server, true)
	_, destroyed := walk.Detached.Noted(server)
	if _, known := walk.Known.Noted(server); destroyed || known && created {
		m.refuse(walk, diags)
	}
}

// refuse refuses the plan. One error stands for all attachments.
func (m attachmentModel) refuse(walk *backend.Walk, diags *diag.Diagnostics) {
	if walk.Refused.Note("attached twice", true) {
		return
	}
	diags.AddError("Servers that stay would be drained",
		fmt.Sprintf("This plan destroys the deletion attachment of a server, and keeps or creates another one for the "+
			"same server. The first is %s. Destroying it drains the server, which stays. If a block was renamed or "+
			"has other keys, add:%sIf the attachment is tainted, run terraform untaint; leave out -replace. To remove "+
			"an attachment without draining its server, use a removed block with destroy = false, or terraform state "+
			"rm.",
			m.label(), moved))
}

// refuseOrder refuses a drain that begins before the readiness attachment has found
// in service the substitutes that the same plan makes.
func (m attachmentModel) refuseOrder(cluster string, diags *diag.Diagnostics) {
	diags.AddError("A drain would begin too early", fmt.Sprintf("%s was not touched. This apply makes substitutes for "+
		"leaving nodes of cluster %q, and the readiness attachment has not found them in service yet. Add to the "+
		"servers and to the deletion attachments:\n\n  lifecycle {\n    create_before_destroy = true\n  }\n\n"+
		"and depends_on = [stackpolicy_deletion_attachment.NAME] to the readiness attachment. Then run terraform "+
		"apply -refresh-only, which stores it, and apply again. With -target, give the readiness attachment too.",
		m.message("").Node(), cluster))
}

// limit returns how long the destruction may take.
func (m attachmentModel) limit() time.Duration {
	if given, ok := m.Timeouts.Attributes()["delete"].(types.String); ok && value.Given(given) {
		return durations.Or(given, 0)
	}
	return m.nodeModel.limit()
}
