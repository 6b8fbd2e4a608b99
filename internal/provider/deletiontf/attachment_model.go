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
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/drain"
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
// others that it destroys: one line where their nodes leave.
func (m attachmentModel) leave(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) {
	steps := m.steps()
	if steps == nil {
		return
	}
	walk := b.Walk()
	if walk.Detach(m.ServerID.ValueString()) {
		m.refuse(ctx, walk, diags)
		return
	}
	group := "the node stays"
	if _, leaves := walk.Leaves(m.ServerID.ValueString()); leaves {
		group = "the node leaves"
	}
	leaving := walk.Gather(ctx, group, m.label()+"\t"+m.neverServed(ctx, b)+"\t"+strings.Join(steps, ", "))
	if leaving == nil {
		return
	}
	var drained, others, ways []string
	for _, line := range leaving {
		name, rest, _ := strings.Cut(line, "\t")
		why, how, _ := strings.Cut(rest, "\t")
		if why != "" {
			others = append(others, name+" ("+why+")")
			continue
		}
		drained = append(drained, name)
		if !slices.Contains(ways, how) {
			ways = append(ways, how)
		}
	}
	said := ""
	if len(drained) > 0 {
		said = fmt.Sprintf("%s: %s. ", text.Few(drained), text.And(ways))
	}
	if len(others) > 0 {
		said += "Without hook and grace period, because they never were in service: " + text.Few(others) + ". "
	}
	if group != "the node leaves" {
		said += fmt.Sprintf("This plan destroys their deletion attachments, and no node is known to leave. A server "+
			"that this plan does not destroy is drained anyway. "+
			"If servers stay because a block was renamed or has other keys, add:%sIf they stay without attachments, "+
			"use a removed block with destroy = false, or apply enabled = false first.", moved)
	}
	// The title counts all servers so far, so several of these warnings differ: Terraform
	// merges those that do not.
	diags.AddWarning(fmt.Sprintf("%s will be drained", text.Count(int64(walk.Drained(len(drained))), "server")),
		strings.TrimSpace(said))
}

// neverServed says why only_in_service leaves hook and grace period out, by what Nova says
// now; "": it does not.
func (m attachmentModel) neverServed(ctx context.Context, b *backend.Backend) string {
	if !m.OnlyInService.ValueBool() {
		return ""
	}
	var unread diag.Diagnostics // what cannot be read may serve
	server := m.server(ctx, b, &unread)
	if unread.HasError() {
		return ""
	}
	state, err := server.State(ctx)
	switch {
	case err != nil:
		return ""
	case state.Status == "":
		return "its server is gone"
	}
	return drain.NeverServed(state)
}

// stay notes that the server has this attachment after the plan, and refuses a
// plan that destroys another one of it. Without that, renaming a block would drain
// all servers that are in use. again: Terraform makes the attachment.
func (m attachmentModel) stay(ctx context.Context, walk *backend.Walk, again bool, diags *diag.Diagnostics) {
	if value.Given(m.ServerID) && walk.Attach(m.ServerID.ValueString(), again) {
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
			"If it is tainted, run terraform untaint; leave -replace out. "+
			"To give an attachment up without draining its server, use a removed block with destroy = false, or "+
			"terraform state rm.",
			text.Count(int64(len(names)), "server"), text.Few(names), moved))
}

// refuseOrder refuses a drain that begins before the readiness attachment has found the
// substitutes in service that the same plan makes.
func (m attachmentModel) refuseOrder(cluster string, diags *diag.Diagnostics) {
	diags.AddError("A drain would begin too early", fmt.Sprintf("%s was not touched. This apply makes substitutes for "+
		"nodes of cluster %q that leave, and its readiness attachment has not found them in service. Add to the "+
		"servers and to the deletion attachments:\n\n  lifecycle {\n    create_before_destroy = true\n  }\n\n"+
		"Then run terraform apply -refresh-only, which stores it, and apply again. With -target, give the readiness "+
		"attachment too.", m.message("").Node(), cluster))
}

// limit is how long all of it may take.
func (m attachmentModel) limit() time.Duration {
	if given, ok := m.Timeouts.Attributes()["delete"].(durations.Value); ok && value.Given(given) {
		return given.Or(0)
	}
	return m.nodeModel.limit()
}
