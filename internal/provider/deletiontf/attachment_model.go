package deletiontf

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
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
	steps, walk, server := m.steps(), b.Walk(), m.ServerID.ValueString()
	if steps == nil {
		return
	}
	walk.Note(backend.Detached, server, "")
	if _, stays := walk.Noted(backend.Attached, server); stays {
		m.refuse(ctx, walk, diags)
		return
	}
	group, advice := "stays", fmt.Sprintf("This plan destroys their deletion attachments, and no node is known to "+
		"leave. A server that this plan does not destroy is drained anyway. "+
		"If servers stay because a block was renamed or has other keys, add:%sIf they stay without attachments, "+
		"use a removed block with destroy = false, or apply enabled = false first.", moved)
	if _, leaves := walk.Noted(backend.Leaving, server); leaves {
		group, advice = "leaves", ""
	}
	ways := map[string][]string{} // names, by how they are drained
	drained := 0
	for _, leaving := range walk.Gather(ctx, group, m.label()+"\t"+m.way(ctx, b, steps)) {
		name, way, _ := strings.Cut(leaving, "\t")
		ways[way] = append(ways[way], name)
		if !strings.HasPrefix(way, spared) {
			drained++
		}
	}
	if len(ways) == 0 {
		return
	}
	var said []string
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		said = append(said, text.Few(ways[way])+": "+way+".")
	}
	// The title counts all servers so far, so several of these warnings differ: Terraform
	// merges those that do not.
	diags.AddWarning(fmt.Sprintf("%s will be drained", text.Count(int64(walk.Drained(drained)), "server")),
		strings.TrimSpace(strings.Join(said, " ")+" "+advice))
}

// spared begins the way of a server that needs no drain.
const spared = "without hook and grace period, because "

// way says how the server is drained, or why only_in_service spares it, by what Nova says
// now. A server that cannot be read may serve.
func (m attachmentModel) way(ctx context.Context, b *backend.Backend, steps []string) string {
	var unread diag.Diagnostics
	if m.OnlyInService.ValueBool() {
		if server := m.server(ctx, b, &unread); !unread.HasError() {
			if state, err := server.State(ctx); err == nil && drain.NeverServed(state) != "" {
				return spared + drain.NeverServed(state)
			}
		}
	}
	return strings.Join(steps, ", ")
}

// stay notes that the server has this attachment after the plan, and refuses a
// plan that destroys another one of it. Without that, renaming a block would drain
// all servers that are in use. Of an attachment that -replace or a taint makes again,
// only the new one is planned.
func (m attachmentModel) stay(ctx context.Context, walk *backend.Walk, again bool, diags *diag.Diagnostics) {
	server := m.ServerID.ValueString()
	if !value.Given(m.ServerID) {
		return
	}
	walk.Note(backend.Attached, server, "")
	_, destroyed := walk.Noted(backend.Detached, server)
	if _, known := walk.Noted(backend.Known, server); destroyed || known && again {
		m.refuse(ctx, walk, diags)
	}
}

func (m attachmentModel) refuse(ctx context.Context, walk *backend.Walk, diags *diag.Diagnostics) {
	names := walk.Gather(ctx, "Servers that stay would be drained", m.label())
	if names == nil {
		return
	}
	diags.AddError("Servers that stay would be drained",
		fmt.Sprintf("This plan destroys the deletion attachment of %s, and keeps or makes another one for the same: "+
			"%s. Destroying it drains the server, which stays. If a block was renamed or has other keys, add:%sIf it "+
			"is tainted, run terraform untaint; leave -replace out. To give an attachment up without draining its "+
			"server, use a removed block with destroy = false, or terraform state rm.",
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
