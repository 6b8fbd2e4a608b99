package placementtf

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/places"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// Validate checks the known arguments.
func (m attachmentModel) Validate(ctx context.Context, diags *diag.Diagnostics) {
	if value.Given(m.Regions) && !listed(m.Regions) {
		diags.AddAttributeError(path.Root("regions"), "No places",
			"Nothing says where nodes may go. Give regions, with zones where you choose these.")
	}
	if places.Nameless(m.Regions) {
		m.Regions = places.Name(m.Regions, "the provider's")
	}
	if value.Given(m.Cluster) && value.Given(m.NodeNamePattern) {
		if fault := naming.Pattern(m.NodeNamePattern.ValueString()).CheckNames(m.Cluster.ValueString()); fault != "" {
			diags.AddAttributeError(path.Root("node_name_pattern"), "Invalid names of nodes",
				fault+" Change cluster or node_name_pattern.")
		}
	}
	m.validateSources(diags)
	m.validateSizes(diags)
	m.health(ctx, diags)
	m.validateStateful(ctx, diags)
}

// validateSources refuses a template that says what an argument says.
func (m attachmentModel) validateSources(diags *diag.Diagnostics) {
	templates := places.Own[types.Map](m.Regions, "template")
	templates[placement.Place{}] = m.Template
	for _, key := range []string{roster.KeyImage, roster.KeyImageID, roster.KeyUserData} {
		argument, given := "image", len(m.images())
		if key == roster.KeyUserData {
			argument, given = "user_data", len(m.userData())
		}
		for _, at := range slices.SortedFunc(maps.Keys(templates), placement.Place.Compare) {
			if _, twice := templates[at].Elements()[key]; twice && given > 0 {
				diags.AddAttributeError(m.path(at, "template").AtMapKey(key), "Given twice", fmt.Sprintf(
					"The argument %s fills in the %s of a template. Remove this one, or the argument.", argument, key))
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
