package deletiontf

import (
	"context"
	"encoding/json"
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
	Timeouts types.Object `tfsdk:"timeouts"`
}

type attachmentIdentityModel struct {
	Region   types.String `tfsdk:"region"`
	ServerID types.String `tfsdk:"server_id"`
}

// identify fills in the id, as far as it is known.
func (m *attachmentModel) identify() {
	m.ID = types.StringUnknown()
	if value.Given(m.Region) && value.Given(m.ServerID) {
		m.ID = types.StringValue(m.Region.ValueString() + "/" + m.ServerID.ValueString())
	}
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

// leaves is the group of the attachments that a plan destroys, and that drain a server. A refresh announces each
// attachment too, because Terraform plans it next.
const leaves = "leaves"

// gone reports whether the server is known to be gone.
func (m attachmentModel) gone(ctx context.Context, b *backend.Backend) bool {
	var unread diag.Diagnostics
	s := m.server(ctx, b, &unread)
	if unread.HasError() {
		return false
	}
	exists, err := s.Exists(ctx)
	return err == nil && !exists
}

// leave reports that the plan destroys the attachment, together with all others that it destroys. A server that is
// gone is not drained: Terraform may ask for a plan before it knows that.
func (m attachmentModel) leave(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) {
	steps, walk, server := m.steps(), b.Walk(), m.ServerID.ValueString()
	if steps == nil {
		return
	}
	walk.Detached.Note(server, true)
	if _, stays := walk.Attached.Noted(server); stays {
		m.refuse(ctx, walk, diags)
		return
	}
	answered := walk.Announce(leaves)
	gone := m.gone(ctx, b)
	way, spared := m.way(ctx, b, steps)
	if answered(); gone {
		return
	}
	var leaving, staying drains
	advice := ""
	line, _ := json.Marshal(drainedNode{m.label(), way, server, m.Cluster.ValueString(), spared})
	for _, line := range walk.Gather(ctx, leaves, string(line)) {
		var d drainedNode
		_ = json.Unmarshal([]byte(line), &d)
		stays, known := fate(walk, d.Server, d.Cluster)
		if stays {
			staying.add(d)
			continue
		}
		if leaving.add(d); !known {
			advice = " If some stay: " + keep
		}
	}
	if staying.count > 0 {
		diags.AddWarning("Nodes that stay will be drained", staying.String()+" This plan destroys their deletion "+
			"attachments: "+keep)
	}
	switch {
	case leaving.count == 0:
	case walk.Drained.Swap(true): // Terraform merges warnings of one title
		diags.AddWarning("More servers will be drained", leaving.String()+advice)
	default:
		diags.AddWarning(fmt.Sprintf("%s will be drained", text.Count(leaving.count, "server")),
			leaving.String()+advice)
	}
}

// fate reports whether the node of a server stays, and whether that is known: a placement attachment of its cluster
// was planned, or all are destroyed. A plan to destroy begins with what others do not refer to, and reads nothing.
func fate(walk *backend.Walk, server, cluster string) (stays, known bool) {
	_, planned := walk.Cluster(cluster)
	_, used := walk.InUse.Noted(server)
	_, leaves := walk.Leaving.Noted(server)
	return used && !leaves, planned || leaves || !walk.Refreshed.Load()
}

// drainedNode is a node that a plan drains, unless it is spared.
type drainedNode struct {
	Name, Way, Server, Cluster string
	Spared                     bool
}

// drains are nodes that a plan drains.
type drains struct {
	ways  map[string][]string // names, by the way in which they are drained
	count int64               // number of them that need a drain
}

func (d *drains) add(n drainedNode) {
	if d.ways == nil {
		d.ways = map[string][]string{}
	}
	d.ways[n.Way] = append(d.ways[n.Way], n.Name)
	if !n.Spared {
		d.count++
	}
}

func (d *drains) String() string {
	var said []string
	for _, way := range slices.Sorted(maps.Keys(d.ways)) {
		said = append(said, text.Few(d.ways[way])+": "+way+".")
	}
	return strings.Join(said, " ")
}

// way returns how the server is drained, or why it is spared, by its present state in Nova. A server that cannot be
// read is not spared, because it may be in service.
func (m attachmentModel) way(ctx context.Context, b *backend.Backend, steps []string) (way string, spared bool) {
	var unread diag.Diagnostics
	if m.spec() != nil || m.grace() > 0 {
		if server := m.server(ctx, b, &unread); !unread.HasError() {
			if state, err := server.State(ctx); err == nil && drain.NeverServed(state) {
				return "without hook and grace period, because a wait ended before it was in service", true
			}
		}
	}
	return strings.Join(steps, ", "), false
}

// stay notes that the server has this attachment after the plan, and refuses a plan
// that destroys another attachment of the server: otherwise renaming a block would
// drain all servers in use. If -replace or a taint makes an attachment again, Terraform
// plans only the new one.
func (m attachmentModel) stay(ctx context.Context, walk *backend.Walk, created bool, diags *diag.Diagnostics) {
	server := m.ServerID.ValueString()
	if !value.Given(m.ServerID) {
		return
	}
	walk.Attached.Note(server, true)
	_, destroyed := walk.Detached.Noted(server)
	if _, known := walk.Known.Noted(server); destroyed || known && created {
		m.refuse(ctx, walk, diags)
	}
}

func (m attachmentModel) refuse(ctx context.Context, walk *backend.Walk, diags *diag.Diagnostics) {
	names := walk.Gather(ctx, "Servers that stay would be drained", m.label())
	if names == nil {
		return
	}
	diags.AddError("Servers that stay would be drained",
		fmt.Sprintf("This plan destroys the deletion attachment of %s, and keeps or creates another one for the same "+
			"server: %s. Destroying it drains the server, which stays. If a block was renamed or has other keys, "+
			"add:%sIf the attachment is tainted, run terraform untaint; leave out -replace. To remove an attachment "+
			"without draining its server, use a removed block with destroy = false, or terraform state rm.",
			text.Count(int64(len(names)), "server"), text.Few(names), moved))
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
