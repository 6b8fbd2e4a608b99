package placementtf

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// large are the attributes that grow with the cluster or with a batch. They are texts, see package packed.
var large = []string{"nodes", "slots", "change", "held"}

type attachmentModel struct {
	ID              types.String `tfsdk:"id"`
	Cluster         types.String `tfsdk:"cluster"`
	DesiredCapacity types.Int64  `tfsdk:"desired_capacity"`
	MinSize         types.Int64  `tfsdk:"min_size"`
	MaxSize         types.Int64  `tfsdk:"max_size"`
	Regions         types.List   `tfsdk:"regions"`
	NodeNamePattern types.String `tfsdk:"node_name_pattern"`
	Template        types.Map    `tfsdk:"template"`
	Flavors         types.List   `tfsdk:"flavors"`
	Ordinals        types.Bool   `tfsdk:"ordinals"`
	RespectQuotas   types.Bool   `tfsdk:"respect_quotas"`
	Image           types.String `tfsdk:"image"`
	UserData        types.String `tfsdk:"user_data"`
	Deletion        types.Object `tfsdk:"deletion"`
	Health          types.Object `tfsdk:"health"`
	Selector        types.Object `tfsdk:"selector"`
	Update          types.Object `tfsdk:"update"`
	Stateful        types.Object `tfsdk:"stateful"`

	Nodes        types.String `tfsdk:"nodes"` // a text, see [large]
	Slots        types.String `tfsdk:"slots"`
	NextIndex    types.Int64  `tfsdk:"next_index"`
	Distribution types.Map    `tfsdk:"distribution"`
	Change       types.String `tfsdk:"change"`
	Held         types.String `tfsdk:"held"`
	Moves        types.String `tfsdk:"moves"`
	Remaining    types.Int64  `tfsdk:"remaining"`
	Status       types.String `tfsdk:"status"`
	Summary      types.String `tfsdk:"summary"`

	UserDataTexts types.Map `tfsdk:"user_data_texts"`

	sources sources // ids of the images and flavors
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
		"image_id":   types.StringType,
		"generation": types.Int64Type,
		"mark":       types.StringType,
		"closed":     types.BoolType,
	}}
	slotType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"index":    types.Int64Type,
		"region":   types.StringType,
		"zone":     types.StringType,
		"template": templateType,
		"volumes":  types.ListType{ElemType: types.StringType},
		"in_use":   types.BoolType,
	}}
)

// listed reports whether a list has elements.
func listed(list types.List) bool { return value.Given(list) && len(list.Elements()) > 0 }

// listedRegions translates the regions.
func (m attachmentModel) listedRegions() []placement.Region { return places.ReadRegions(m.Regions) }

// deletion returns the block deletion, which is empty if it is not given.
func (m attachmentModel) deletion(ctx context.Context, diags *diag.Diagnostics) deletionModel {
	if d := value.Object[deletionModel](ctx, m.Deletion, diags); d != nil {
		return *d
	}
	none := types.ListNull(types.StringType)
	return deletionModel{Candidates: none, Kept: none, Protected: none}
}

// candidates returns all nodes that the configuration names to leave.
func (d deletionModel) candidates() []string { return append(texts(d.Candidates), texts(d.Kept)...) }

// texts returns the known texts of a list.
var texts = value.Texts

// policy translates the arguments that say how the cluster should be; marked says
// whether a node of the cluster ever carried a mark.
func (m attachmentModel) policy(
	ctx context.Context, before *attachmentModel, marked bool, diags *diag.Diagnostics,
) roster.Policy {
	d := m.deletion(ctx, diags)
	policy := roster.Policy{
		Name:         m.naming().Name,
		Capacity:     m.DesiredCapacity.ValueInt64(),
		Regions:      m.listedRegions(),
		Criteria:     deletion.Criteria(d.Criteria.ValueString()),
		Candidates:   d.candidates(),
		Kept:         texts(d.Kept),
		Protected:    texts(d.Protected),
		Templates:    m.templates(),
		Flavors:      m.flavors(),
		FlavorIDs:    m.sources.Flavors,
		Ordinals:     m.Ordinals.ValueBool(),
		Update:       m.update(ctx, diags),
		Stateful:     m.stateful(ctx, diags),
		RequireMarks: marked,
	}
	if value.GivenBlock(m.Update) {
		policy.RequireMarks = m.requiresMarks(ctx, diags)
	}
	if before != nil {
		marks := m.requiresMarks(ctx, diags) && !before.requiresMarks(ctx, diags)
		policy.Begins = marks || m.begins(ctx, before, diags)
		policy.RequireMarks = policy.RequireMarks && (marked || !marks)
	}
	policy.Unmarked = policy.RequireMarks && !marked
	return policy
}

// begins reports whether an argument that changes the servers' blocks is new: update, its method, or stateful.
func (m attachmentModel) begins(ctx context.Context, before *attachmentModel, diags *diag.Diagnostics) bool {
	if value.GivenBlock(m.Stateful) != value.GivenBlock(before.Stateful) {
		return true
	}
	if !value.GivenBlock(m.Update) {
		return false
	}
	return !value.GivenBlock(before.Update) || m.method(ctx, diags) != before.method(ctx, diags)
}

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

// templates returns the templates of the attachment, of its regions and of its zones, with what they say about image
// and user data.
func (m attachmentModel) templates() roster.Templates {
	own := map[placement.Place]map[string]string{}
	add := func(at placement.Place, key, text string) {
		if own[at] == nil {
			own[at] = map[string]string{}
		}
		if own[at][key] = text; text == "" {
			delete(own[at], key)
		}
	}
	given := places.Own[types.Map](m.Regions, "template")
	given[placement.Place{}] = m.Template
	for at, values := range given {
		for key, text := range templateOf(values) {
			add(at, key, text)
		}
	}
	images := m.images()
	for region := range m.sources.Images { // the same name is another image in each region
		at := placement.Place{Region: region}
		images[at] = cmp.Or(images[at], images[placement.Place{}])
	}
	for at, name := range images {
		add(at, roster.KeyImage, m.sources.word(at.Region, name))
		add(at, roster.KeyImageID, m.sources.Images[at.Region][name].ID)
	}
	if sizes := m.volumes(); len(sizes) > 0 {
		add(placement.Place{}, roster.KeyVolumes, string(roster.NamesOf(slices.Collect(maps.Keys(sizes)))))
	}
	for at, text := range m.userData() {
		add(at, roster.KeyUserData, hashOf(text))
	}
	templates := map[placement.Place]roster.Template{}
	for at, values := range own {
		templates[at] = roster.NewTemplate(values)
	}
	return roster.NewTemplates(templates)
}

// flavors returns the flavors that the attachment, its regions and its zones list.
func (m attachmentModel) flavors() roster.Flavors {
	flavors := roster.Flavors{}
	for at, list := range places.Own[types.List](m.Regions, "flavors") {
		flavors[at] = texts(list)
	}
	if listed(m.Flavors) {
		flavors[placement.Place{}] = texts(m.Flavors)
	}
	return flavors
}

// templateOf translates the values of a template that are known.
func templateOf(values types.Map) map[string]string {
	texts := make(map[string]string, len(values.Elements()))
	for name, element := range values.Elements() {
		if text, ok := element.(types.String); ok && value.Given(text) {
			texts[name] = text.ValueString()
		}
	}
	return texts
}

// update translates the block update, and returns nil without it.
func (m attachmentModel) update(ctx context.Context, diags *diag.Diagnostics) *roster.Update {
	if !value.GivenBlock(m.Update) {
		return nil
	}
	u := value.Object[updateModel](ctx, m.Update, diags)
	amount := func(name string, v types.String, byDefault string) roster.Amount {
		a, err := roster.ParseAmount(value.TextOr(v, byDefault))
		if err != nil {
			diags.AddAttributeError(path.Root("update").AtName(name), "Invalid number of nodes", err.Error()+".")
		}
		return a
	}
	update := &roster.Update{
		BatchSize: amount("max_batch_size", u.MaxBatchSize, "1"),
		Target:    amount("target", u.Target, "100%"),
		StopAbove: amount("stop_above", u.StopAbove, "50%"),
		Method:    u.Method.ValueString(),
		MaxAge:    durations.Or(u.MaxAge, 0),
		Pause:     durations.Or(u.Pause, 0),
	}
	for _, cause := range texts(u.Causes) {
		update.Causes = append(update.Causes, roster.Cause(cause))
	}
	if update.Has(roster.LaterFlavor) && len(m.flavors()) == 0 && !m.Flavors.IsUnknown() {
		diags.AddAttributeError(path.Root("update").AtName("causes"), "A missing argument",
			"The cause FLAVOR replaces a node for an earlier one of its flavors, and there are none. Give flavors.")
	}
	if update.Has(roster.Newer) && !update.Has(roster.Outdated) {
		diags.AddAttributeError(path.Root("update").AtName("causes"), "A missing argument",
			"The cause IMAGE makes the newest image of a name the wanted one, and TEMPLATE replaces the nodes that "+
				"do not have what is wanted. Add TEMPLATE.")
	}
	if update.Has(roster.TooOld) && u.MaxAge.IsNull() {
		diags.AddAttributeError(path.Root("update").AtName("max_age"), "A missing argument",
			"The cause AGE needs max_age, such as \"30d\": the age from which on a node is replaced.")
	}
	return update
}
