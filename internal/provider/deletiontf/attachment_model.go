package deletiontf

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

type attachmentModel struct {
	nodeModel

	ID       types.String `tfsdk:"id"`
	Enabled  types.Bool   `tfsdk:"enabled"`
	Token    types.String `tfsdk:"lifecycle_action_token"`
	Timeouts types.Object `tfsdk:"timeouts"`
}

type attachmentIdentityModel struct {
	Region   types.String `tfsdk:"region"`
	ServerID types.String `tfsdk:"server_id"`
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

// steps says in words what the destruction does, and nil where it does nothing.
func (m attachmentModel) steps() []string {
	if !m.enabled() {
		return nil
	}
	return m.nodeModel.steps()
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
	diags.AddError("Servers that stay would be drained",
		fmt.Sprintf("This plan destroys the deletion attachment of %s, and keeps or "+
			"makes another one for the same: %s. Destroying it drains the server, which stays. "+
			"If a block was renamed or has other keys, add:%s"+
			"To give an attachment up without draining its server, use a removed block with destroy = false, or "+
			"terraform state rm.",
			text.Count(int64(len(names)), "server"), text.Few(names), moved))
}

// limit is how long all of it may take.
func (m attachmentModel) limit() time.Duration {
	if given, ok := m.Timeouts.Attributes()["delete"].(durations.Value); ok && value.Given(given) {
		return given.Or(0)
	}
	return m.nodeModel.limit()
}
