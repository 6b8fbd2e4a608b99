// Package placementtf has the attachment of the region and zone placement
// policies.
package placementtf

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/private"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

var _ backend.Attachment = &attachmentResource{}

// NewAttachment returns stackpolicy_placement_attachment, which gets its large attributes as texts.
func NewAttachment() resource.Resource {
	return newAttachment(func() schema.Schema { return Hidden.Hide(attachmentSchema()) })
}

// NewShown returns the resource with the schema that Terraform sees.
func NewShown() resource.Resource { return newAttachment(attachmentSchema) }

func newAttachment(fields func() schema.Schema) resource.Resource {
	return &attachmentResource{backend.Resource[attachmentModel]{
		Name:   "placement_attachment",
		Fields: fields,
		Identity: map[string]identityschema.Attribute{
			"cluster": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Name of the cluster.",
			},
			"node_name_pattern": identityschema.StringAttribute{
				OptionalForImport: true,
				Description:       "Pattern of the names of its nodes.",
			},
		},
	}}
}

// attachmentResource is stackpolicy_placement_attachment: it remembers the place of
// each node of a cluster, and its template. Everything in it is worked out while
// planning.
type attachmentResource struct {
	backend.Resource[attachmentModel]
}

// ModifyPlan makes the plan. It computes nothing if nothing changed, nothing proceeds, and
// the cluster is in step. If the cluster is not in step, the apply may bring nodes into service.
func (r *attachmentResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if req.Plan.Raw.IsNull() { // destroyed, and so are its servers
		for _, server := range loadMemory(ctx, req.Private, &resp.Diagnostics).Seen.Servers {
			r.Backend.Walk().Leaving.Note(server.ID, "")
		}
		return
	}
	diags := &resp.Diagnostics
	planner := attachmentPlanner{
		backend: r.Backend,
		config:  &attachmentModel{},
		plan:    &attachmentModel{},
		private: resp.Private,
		diags:   diags,
	}
	planner.same = req.Plan.Raw.Equal(req.State.Raw)
	diags.Append(req.Plan.Get(ctx, planner.plan)...)
	if !req.State.Raw.IsNull() {
		planner.memory = loadMemory(ctx, req.Private, diags)
		planner.state = &attachmentModel{}
		diags.Append(req.State.Get(ctx, planner.state)...)
		planner.state.nameRegion(planner.memory.Sources.Region)
	}
	planner.plan.sources = planner.memory.Sources
	if planner.state != nil && places.Nameless(planner.plan.Regions.List) &&
		len(planner.state.Regions.List.Elements()) == 1 {
		planner.plan.nameRegion(planner.state.listedRegions()[0].Name)
	}
	if d := planner.modify(ctx, req, resp); !diags.HasError() { // of a refused plan nothing may be worked out
		planner.publish(ctx, d)
	}
}

// modify makes the plan, and returns what it decides: nothing if it keeps the state as it is.
func (p *attachmentPlanner) modify(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) (none decision) {
	if p.diags.HasError() || p.same && !p.plan.proceeds() && p.plan.inStep() {
		return none
	}
	if p.diags.Append(req.Config.Get(ctx, p.config)...); p.diags.HasError() {
		return none
	}
	if p.state != nil && !p.sourcesKnown(ctx) {
		if p.waitsForSources(ctx, req.Plan, req.State) {
			p.plan, resp.Plan.Raw = p.state, req.State.Raw
		}
		return none
	}
	plan := p.run
	if p.same && !p.plan.proceeds() {
		plan = p.runSame
	}
	d, changed := plan(ctx)
	if changed && !p.diags.HasError() {
		p.diags.Append(resp.Plan.Set(ctx, p.plan)...)
	}
	return d
}

func (r *attachmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	storePlan(ctx, req.Plan, &resp.State, resp.Identity, &resp.Diagnostics)
}

// storePlan stores what was planned.
func storePlan(
	ctx context.Context, from tfsdk.Plan, state *tfsdk.State, id *tfsdk.ResourceIdentity, diags *diag.Diagnostics,
) {
	var plan attachmentModel
	diags.Append(from.Get(ctx, &plan)...)
	if !diags.HasError() {
		diags.Append(state.Set(ctx, &plan)...)
		diags.Append(id.Set(ctx, plan.identity())...)
	}
}

// Read takes the snapshot of the cluster for the next plan.
func (r *attachmentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state attachmentModel
	diags := &resp.Diagnostics
	diags.Append(req.State.Get(ctx, &state)...)
	before := loadMemory(ctx, req.Private, diags)
	if diags.HasError() {
		return
	}
	state.sources = before.Sources
	state.nameRegion(before.Sources.Region)
	var remembered roster.Roster
	var after memory
	var ok bool
	if state.Nodes.IsNull() {
		remembered, after, ok = state.adopt(ctx, r.Backend, before.Roster, diags)
	} else {
		remembered, after, ok = state.refresh(ctx, r.Backend, before, diags)
	}
	if diags.HasError() {
		return
	}
	if ok {
		state.remember(remembered, state.listedRegions())
		state.setStatus(ctx, remembered, &after, diags)
		after.store(ctx, resp.Private, remembered, diags)
	}
	diags.Append(resp.State.Set(ctx, &state)...)
	diags.Append(resp.Identity.Set(ctx, state.identity())...)
}

// Update stores the plan. It need not remove marks of servers: the mark of another template does not count as the
// node's own.
func (r *attachmentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan attachmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	plan.refuseSecond(ctx, r.Backend, loadMemory(ctx, req.Private, &resp.Diagnostics).Seen, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		storePlan(ctx, req.Plan, &resp.State, resp.Identity, &resp.Diagnostics)
	}
}

// refuseSecond refuses a second server for a slot. Terraform destroys the server of a node that is made again before it
// stores the new generation, unless create_before_destroy is set, which no plan shows.
func (m attachmentModel) refuseSecond(ctx context.Context, b *backend.Backend, seen roster.Seen,
	diags *diag.Diagnostics) {
	told, _ := b.Walk().Cluster(m.Cluster.ValueString())
	var list []string
	for name, n := range elements[shownNode](m.Nodes.ValueString(), diags) {
		server := openstack.Server{ID: seen.Servers[name].ID}
		_, ended := b.Walk().Ended.Noted(server.ID)
		drained := ended || seen.Servers[name].Drained // by this apply, or by one before
		if !drained || !told.Nodes[name].MadeAgain || !value.GivenBlock(m.Stateful) {
			continue
		}
		var err error
		if cloud := b.Get(ctx, diags); cloud != nil {
			server.Compute, err = cloud.Compute(ctx, n.Region)
		}
		if err != nil || server.Compute == nil {
			continue // nothing is known
		}
		if status, err := server.Status(ctx); err == nil && status != "" {
			list = append(list, fmt.Sprintf("%s (%s)", name, server.ID))
		}
	}
	if slices.Sort(list); len(list) > 0 {
		diags.AddError("A slot has one server at a time", fmt.Sprintf("Cluster %q: Terraform is about to make servers "+
			"again whose old ones are drained and still there: %s. Nova would refuse the second server of a port or a "+
			"volume. Remove create_before_destroy from the servers, and from all that refers to them, and apply.",
			m.Cluster.ValueString(), text.Few(list)))
	}
}

// Delete forgets the attachment, and touches no server.
func (r *attachmentResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// identity is the identity of the attachment.
type identity struct {
	Cluster         types.String `tfsdk:"cluster"`
	NodeNamePattern types.String `tfsdk:"node_name_pattern"`
}

func (m attachmentModel) identity() identity { return identity{m.Cluster, m.NodeNamePattern} }

// importID is an import id in its JSON form, with facts that the cloud does not have.
type importID struct {
	Cluster     string              `json:"cluster"`
	Pattern     string              `json:"node_name_pattern"`
	Slots       map[string]string   `json:"slots"`       // kept slots, with "region" or "region/zone"
	Templates   []map[string]string `json:"templates"`   // former templates, the oldest first
	Generations map[string]int64    `json:"generations"` // generations by the names of nodes
}

// parseImportID reads <cluster>, <cluster>/<pattern>, or the JSON form.
func parseImportID(given string) (importID, error) {
	id := importID{Cluster: given, Pattern: string(naming.Default)}
	if strings.HasPrefix(given, `{"`) {
		id.Cluster = ""
		decoder := json.NewDecoder(strings.NewReader(given))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&id)
		if _, end := decoder.Token(); err == nil && end != io.EOF {
			err = errors.New("something follows the JSON object")
		}
		return id, err
	}
	if name, rest, found := strings.Cut(given, "/"); found && strings.Contains(rest, "{index") {
		id.Cluster, id.Pattern = name, rest
	}
	return id, nil
}

// given returns what an import id says about a cluster, and a sentence about its fault.
func (id importID) given() (r roster.Roster, fault string) {
	pattern := naming.Pattern(id.Pattern)
	if fault := cmp.Or(naming.CheckCluster(id.Cluster), pattern.Check()); fault != "" {
		return r, fault
	}
	if strings.TrimSpace(id.Cluster) == "" {
		return r, "It names no cluster."
	}
	r = roster.Roster{Slots: map[string]roster.Slot{}, Nodes: map[string]roster.Node{}}
	indices, unlike := pattern.Indices(id.Cluster), []string(nil)
	for name, at := range id.Slots {
		region, zone, _ := strings.Cut(at, "/")
		if index, ok := indices(name); ok {
			r.Slots[name] = roster.Slot{Index: index, Place: placement.Place{Region: region, Zone: zone}}
		} else {
			unlike = append(unlike, name)
		}
	}
	for _, values := range id.Templates {
		r.Order = append(r.Order, roster.NewTemplate(values))
	}
	for name, n := range id.Generations {
		if !pattern.Regexp(id.Cluster).MatchString(name) {
			unlike = append(unlike, name)
		}
		if n < 1 {
			return r, fmt.Sprintf("The generation of %s is %d, and the first one is 1.", name, n)
		}
		r.Nodes[name] = roster.Node{Generation: n}
	}
	if slices.Sort(unlike); len(unlike) > 0 {
		return r, fmt.Sprintf("The pattern %q makes no such name: %s.", id.Pattern, text.Few(unlike))
	}
	return r, ""
}

// ImportState takes an import id, or the identity. Terraform calls Read next, which
// remembers no nodes and so adopts the servers that run.
func (r *attachmentResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	diags := &resp.Diagnostics
	id, err := parseImportID(req.ID)
	if value.ByIdentity(req) {
		var by identity
		diags.Append(req.Identity.Get(ctx, &by)...)
		id.Cluster, id.Pattern = by.Cluster.ValueString(), value.TextOr(by.NodeNamePattern, id.Pattern)
	}
	given, fault := id.given()
	if err != nil {
		fault = text.Sentence(err)
	}
	if fault != "" {
		diags.AddError("Invalid import id",
			fmt.Sprintf("%q is neither <cluster>, nor <cluster>/<pattern of node names>, nor a JSON object with "+
				"cluster and, where they apply, node_name_pattern, slots, templates and generations. %s",
				req.ID,
				fault,
			))
		return
	}
	diags.Append(resp.State.SetAttribute(ctx, path.Root("cluster"), id.Cluster)...)
	diags.Append(resp.State.SetAttribute(ctx, path.Root("node_name_pattern"), id.Pattern)...)
	private.Store(ctx, resp.Private, seenKey, memory{Roster: given}, diags)
}
