package placementtf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/amount"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/health"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/probeblock"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster/cause"
)

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
		Candidates:   append(texts(d.Candidates), texts(d.Kept)...),
		Kept:         texts(d.Kept),
		Protected:    texts(d.Protected),
		Templates:    m.templates(),
		Flavors:      m.flavors(),
		FlavorIDs:    m.sources.Flavors,
		Ordinals:     m.givesAddresses(),
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
	for at, values := range m.templatesGiven() {
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
	if text := m.UserData.ValueString(); text != "" {
		add(placement.Place{}, roster.KeyUserData, hashOf(text))
	}
	for at, texts := range m.partTexts() {
		for key, text := range texts {
			add(at, key, text)
		}
	}
	templates := map[placement.Place]roster.Template{}
	for at, values := range own {
		templates[at] = roster.NewTemplate(values)
	}
	return roster.NewTemplates(templates)
}

// templatesGiven are the templates of the attachment, of its regions and of its zones, as written.
func (m attachmentModel) templatesGiven() map[placement.Place]types.Map {
	given := places.Own[types.Map](m.Regions.List, "template")
	given[placement.Place{}] = m.Template
	return given
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

// causeThat returns the first cause of an update whose row in the table says so, or "".
func causeThat(update *roster.Update, says func(*cause.Cause) bool) roster.Cause {
	if update != nil {
		for _, name := range update.Causes {
			if says(cause.ByName(name)) {
				return name
			}
		}
	}
	return ""
}

// update translates the block update, and returns nil without it.
func (m attachmentModel) update(ctx context.Context, diags *diag.Diagnostics) *roster.Update {
	if !value.GivenBlock(m.Update) {
		return nil
	}
	u := value.Object[updateModel](ctx, m.Update, diags)
	read := func(name string, v types.String, byDefault string) amount.Amount {
		a, err := amount.Parse(value.TextOr(v, byDefault))
		if err != nil {
			diags.AddAttributeError(path.Root("update").AtName(name), "Invalid number of nodes", err.Error()+".")
		}
		return a
	}
	update := &roster.Update{
		BatchSize: read("max_batch_size", u.MaxBatchSize, "1"),
		Target:    read("target", u.Target, "100%"),
		StopAbove: read("stop_above", u.StopAbove, "50%"),
		Method:    u.Method.ValueString(),
		MaxAge:    durations.Or(u.MaxAge, 0),
		Pause:     durations.Or(u.Pause, 0),
	}
	for _, name := range texts(u.Causes) {
		update.Causes = append(update.Causes, roster.Cause(name))
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

// Validate checks the known arguments.
func (m attachmentModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	m.Regions.Check(diags)
	m.Regions = m.Regions.Named("the provider's")
	if value.Given(m.Cluster) && value.Given(m.NodeNamePattern) {
		if fault := naming.Pattern(m.NodeNamePattern.ValueString()).CheckNames(m.Cluster.ValueString()); fault != "" {
			diags.AddAttributeError(path.Root("node_name_pattern"), "Invalid names of nodes",
				fault+" Change cluster or node_name_pattern.")
		}
	}
	m.validateTemplates(diags)
	m.validateParts(diags)
	m.validateSizes(diags)
	m.health(ctx, diags)
	m.validateStateful(ctx, diags)
}

// validateTemplates refuses templates that say what an argument fills in: what is a part, whether it is given or not.
func (m attachmentModel) validateTemplates(diags *diag.Diagnostics) {
	filled := maps.Clone(partKeys)
	if len(m.images()) > 0 {
		filled[roster.KeyImage], filled[roster.KeyImageID] = "image", "image"
	}
	if m.UserData.ValueString() != "" {
		filled[roster.KeyUserData] = "user_data"
	}
	templates := m.templatesGiven()
	for _, at := range slices.SortedFunc(maps.Keys(templates), placement.Place.Compare) {
		values := templates[at].Elements()
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if filled[key] != "" && !values[key].IsNull() {
				diags.AddAttributeError(m.path(at, "template").AtMapKey(key), "Given twice", fmt.Sprintf(
					"The argument %s fills in the %s of a template. Remove this one, or the argument.",
					filled[key], key))
			}
		}
	}
}

func (m attachmentModel) validateSizes(diags *diag.Diagnostics) {
	size, least, most := m.DesiredCapacity, m.MinSize, m.MaxSize
	bounded := value.Given(most) && most.ValueInt64() >= 0
	if bounded && value.Given(least) && least.ValueInt64() > most.ValueInt64() {
		diags.AddAttributeError(path.Root("min_size"), "Contradictory sizes",
			fmt.Sprintf("The min_size (%d) is greater than the max_size (%d). Lower it, or raise the max_size.",
				least.ValueInt64(), most.ValueInt64()))
		return
	}
	at := path.Root("desired_capacity")
	switch {
	case !value.Given(size):
	case value.Given(least) && size.ValueInt64() < least.ValueInt64():
		diags.AddAttributeError(at, "Size outside its bounds",
			fmt.Sprintf("The desired_capacity (%d) is less than the min_size (%d). Raise it, or lower the min_size.",
				size.ValueInt64(), least.ValueInt64()))
	case bounded && size.ValueInt64() > most.ValueInt64():
		diags.AddAttributeError(at, "Size outside its bounds",
			fmt.Sprintf("The desired_capacity (%d) is greater than the max_size (%d). Lower it, or raise the max_size.",
				size.ValueInt64(), most.ValueInt64()))
	}
}

const (
	defaultGrace  = 10 * time.Minute
	defaultHealth = 10 * time.Second
)

// atHealth is the block health: Terraform shows a block for a path into it.
var atHealth = path.Root("health").AtName("http")

type healthModel struct {
	Grace   types.String `tfsdk:"grace"`
	Timeout types.String `tfsdk:"timeout"`
	HTTP    types.Object `tfsdk:"http"`
	TCP     types.Object `tfsdk:"tcp"`
	Octavia types.Object `tfsdk:"octavia"`
}

// health returns the check of the block health, and reports its faults. The check is
// nil without the block, or if it is not completely known.
func (m attachmentModel) health(
	ctx context.Context, diags *diag.Diagnostics,
) (check *health.Check, grace time.Duration) {
	if m.Health.IsNull() || !value.Known(ctx, m.Health) {
		return nil, 0
	}
	block := value.Object[healthModel](ctx, m.Health, diags)
	check = &health.Check{Timeout: durations.Or(block.Timeout, defaultHealth)}
	check.HTTP, check.TCP = probeblock.Read(block.HTTP, block.TCP, false, path.Root("health"), diags)
	pools := value.In[types.List](block.Octavia.Attributes(), "pool_ids")
	check.Pools = texts(pools)
	given := slices.DeleteFunc([]types.Object{block.HTTP, block.TCP, block.Octavia}, types.Object.IsNull)
	// a validator would count dynamic blocks that are not known yet; Terraform needs a path into the block
	if len(given) != 1 {
		diags.AddAttributeError(atHealth, "Invalid health check",
			fmt.Sprintf("The block health needs one of http, tcp and octavia, and has %d of them.", len(given)))
	}
	if diags.HasError() {
		return nil, 0
	}
	return check, durations.Or(block.Grace, defaultGrace)
}
