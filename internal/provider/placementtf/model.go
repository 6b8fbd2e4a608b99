package placementtf

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/packed"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
)

// Hidden are the attributes that grow with the cluster. [NewAttachment] gets them as texts.
var Hidden = packed.Names{"nodes", "parts", "slots"}

type attachmentModel struct {
	Cluster         types.String   `tfsdk:"cluster"`
	DesiredCapacity types.Int64    `tfsdk:"desired_capacity"`
	MinSize         types.Int64    `tfsdk:"min_size"`
	MaxSize         types.Int64    `tfsdk:"max_size"`
	Regions         places.Regions `tfsdk:"regions"`
	NodeNamePattern types.String   `tfsdk:"node_name_pattern"`
	Template        types.Map      `tfsdk:"template"`
	Networks        types.Dynamic  `tfsdk:"networks"`
	Pools           types.Dynamic  `tfsdk:"pools"`
	Disks           types.Dynamic  `tfsdk:"disks"`
	Flavors         types.List     `tfsdk:"flavors"`
	RespectQuotas   types.Bool     `tfsdk:"respect_quotas"`
	Image           types.String   `tfsdk:"image"`
	UserData        types.String   `tfsdk:"user_data"`
	Deletion        types.Object   `tfsdk:"deletion"`
	Health          types.Object   `tfsdk:"health"`
	Selector        types.Object   `tfsdk:"selector"`
	Update          types.Object   `tfsdk:"update"`
	Stateful        types.Object   `tfsdk:"stateful"`

	Nodes        types.String `tfsdk:"nodes"` // a text, see [Hidden]
	Parts        types.String `tfsdk:"parts"`
	Slots        types.String `tfsdk:"slots"`
	NextIndex    types.Int64  `tfsdk:"next_index"`
	Distribution types.Map    `tfsdk:"distribution"`
	Change       types.List   `tfsdk:"change"`
	Held         types.List   `tfsdk:"held"`
	Phase        types.String `tfsdk:"phase"`
	Remaining    types.Int64  `tfsdk:"remaining"`
	Status       types.String `tfsdk:"status"`
	Summary      types.String `tfsdk:"summary"`

	UserDataTexts types.Map `tfsdk:"user_data_texts"`

	sources sources          // ids of images, flavors and networks
	seen    map[string]int64 // sizes of the disks of slots that a refresh saw, by slot and name
}

type deletionModel struct {
	Criteria   types.String `tfsdk:"criteria"`
	Candidates types.List   `tfsdk:"candidates"`
	Kept       types.List   `tfsdk:"kept"`
	Protected  types.List   `tfsdk:"protected"`
}

type updateModel struct {
	Causes           types.List   `tfsdk:"causes"`
	MaxBatchSize     types.String `tfsdk:"max_batch_size"`
	Target           types.String `tfsdk:"target"`
	Method           types.String `tfsdk:"method"`
	MaxAge           types.String `tfsdk:"max_age"`
	Pause            types.String `tfsdk:"pause"`
	StopAbove        types.String `tfsdk:"stop_above"`
	RequireInService types.Bool   `tfsdk:"require_in_service"`
}

// Types of computed values.
var (
	templateType   = types.MapType{ElemType: types.StringType}
	rosterNodeType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"index":      types.Int64Type,
		"ordinal":    types.Int64Type,
		"region":     types.StringType,
		"zone":       types.StringType,
		"template":   templateType,
		"flavor":     types.StringType,
		"flavor_id":  types.StringType,
		"image":      types.StringType,
		"image_id":   types.StringType,
		"generation": types.Int64Type,
		"mark":       types.StringType,
		"closed":     types.BoolType,
		"parts":      types.StringType,
	}}
	partType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"networks": networksType,
		"pools":    poolsType,
		"disks":    disksType,
		"texts":    templateType,
	}}
	slotType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"index":    types.Int64Type,
		"region":   types.StringType,
		"zone":     types.StringType,
		"template": templateType,
		"disks":    slotDisksType,
		"networks": networksType,
		"in_use":   types.BoolType,
	}}
)

// listed reports whether a list has elements.
func listed(list types.List) bool { return value.Given(list) && len(list.Elements()) > 0 }

// nameRegion names the one region that has no name in the configuration.
func (m *attachmentModel) nameRegion(name string) {
	if counts := m.Distribution.Elements(); name == "" && len(counts) == 1 {
		name = slices.Collect(maps.Keys(counts))[0] // it is new, and no refresh has stored the name
	}
	m.Regions = m.Regions.Named(name)
	m.sources.Region = name
}

// listedRegions translates the regions.
func (m attachmentModel) listedRegions() []placement.Region {
	return places.ReadRegions(m.Regions.List)
}

// deletion returns the block deletion, which is empty if it is not given.
func (m attachmentModel) deletion(ctx context.Context, diags *diag.Diagnostics) deletionModel {
	if d := value.Object[deletionModel](ctx, m.Deletion, diags); d != nil {
		return *d
	}
	none := types.ListNull(types.StringType)
	return deletionModel{Candidates: none, Kept: none, Protected: none}
}

// texts returns the known texts of a list.
var texts = value.Texts

// method returns the method by which update replaces nodes.
func (m attachmentModel) method(ctx context.Context, diags *diag.Diagnostics) string {
	return value.TextOr(value.Object[updateModel](ctx, m.Update, diags).Method, roster.Substitute)
}

// naming returns the names of new nodes.
func (m attachmentModel) naming() naming.Naming {
	if !value.Given(m.NodeNamePattern) || !value.Given(m.Cluster) {
		return naming.Naming{Pattern: "{index}"} // a placeholder: it makes different names, like any pattern
	}
	return naming.Naming{Cluster: m.Cluster.ValueString(), Pattern: naming.Pattern(m.NodeNamePattern.ValueString())}
}

// requiresMarks returns require_in_service of update, which defaults to true.
func (m attachmentModel) requiresMarks(ctx context.Context, diags *diag.Diagnostics) bool {
	if !value.GivenBlock(m.Update) {
		return false
	}
	required := value.Object[updateModel](ctx, m.Update, diags).RequireInService
	return required.IsNull() || required.ValueBool()
}

// flavors returns the flavors that the attachment, its regions and its zones list.
func (m attachmentModel) flavors() roster.Flavors {
	flavors := roster.Flavors{}
	for at, list := range places.Own[types.List](m.Regions.List, "flavors") {
		flavors[at] = texts(list)
	}
	if listed(m.Flavors) {
		flavors[placement.Place{}] = texts(m.Flavors)
	}
	return flavors
}

// inStep reports whether the last refresh found the cluster as it should be.
func (m attachmentModel) inStep() bool {
	return status.Phase(m.Phase.ValueString()) == status.InStep
}

// setPhase sets the phase and the status.
func (m *attachmentModel) setPhase(s status.Status) {
	m.Phase, m.Status = types.StringValue(string(s.Phase)), types.StringValue(s.Text)
}

// proceeds reports whether a plan may have something to do although nothing changed: the
// next batch, or the next candidate to make again in its slot.
func (m attachmentModel) proceeds() bool {
	return value.GivenBlock(m.Update) || value.GivenBlock(m.Stateful) && value.GivenBlock(m.Deletion)
}

// closedRegions reports which of the listed regions are closed: no request is sent to
// them.
func closedRegions(listed []placement.Region) func(region string) bool {
	closed := map[string]bool{}
	for _, r := range listed {
		closed[r.Name] = r.Maintenance
	}
	return func(region string) bool { return closed[region] }
}

// hashOf is what a template has of user data, which is too long and too secret for a plan: the first 16 hex digits of
// its SHA-256.
func hashOf(userData string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(userData)))[:16] }

// path is where a place has an argument.
func (m attachmentModel) path(at placement.Place, argument string) path.Path {
	return places.Path(m.Regions.List, at, argument)
}

// images are the images that the attachment and its regions name.
func (m attachmentModel) images() map[placement.Place]string {
	own := map[placement.Place]string{}
	for at, text := range places.Own[types.String](m.Regions.List, "image") {
		if text.ValueString() != "" {
			own[at] = text.ValueString()
		}
	}
	if all := m.Image.ValueString(); all != "" {
		own[placement.Place{}] = all
	}
	return own
}

// sources are the ids that the images and flavors of a configuration stand for, by region and by the text written.
type sources struct {
	Images  map[string]map[string]image `json:"images,omitempty"`
	Flavors roster.FlavorIDs            `json:"flavors,omitempty"` // "" for a flavor that is gone

	Networks map[string]map[string]network `json:"networks,omitempty"`
	Region   string                        `json:"region,omitempty"` // of regions that has no name there
	Pools    map[string]string             `json:"pools,omitempty"`  // what templates of a region have of them
}

// image is an image of a configuration.
type image struct {
	ID     string `json:"id"`               // image that is wanted
	Newest string `json:"newest,omitempty"` // newest image of the name, if that is another one
	Gone   bool   `json:"gone,omitempty"`   // whether no server can be made from it, and the name has no other one
	Word   string `json:"word,omitempty"`   // text by which nodes that have it call it
}
