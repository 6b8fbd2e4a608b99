package affinitytf

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
)

// leftoversKey is the key in the private state for groups that the attachment created,
// no longer uses, and could not delete. The next apply tries again.
const leftoversKey = "leftovers"

// describe returns a list of groups for people.
func describe(groups []affinity.Created) string {
	var names []string
	for _, g := range groups {
		name := fmt.Sprintf("%q", g.Name)
		if g.ID != "" {
			name = g.ID
		}
		names = append(names, fmt.Sprintf("the server group %s of region %s", name, g.Region))
	}
	return strings.Join(names, ", ")
}

// detach deletes groups that the attachment created. It reports and returns the groups
// that it could not delete.
func (r *attachmentResource) detach(
	ctx context.Context, groups []affinity.Created, diags *diag.Diagnostics,
) (left []affinity.Created) {
	for _, group := range groups {
		cloud := r.Backend.Get(ctx, diags)
		if cloud == nil {
			return groups
		}
		compute, err := cloud.Compute(ctx, group.Region)
		kept := false
		if err == nil {
			kept, err = affinity.Detach(ctx, compute, group)
		}
		switch {
		case err != nil:
			left = append(left, group)
			diags.AddError("Unable to delete the server group",
				fmt.Sprintf("The attachment created it: %s. The next apply tries again.", err))
		case kept:
			diags.AddWarning("The server group stays", fmt.Sprintf(
				"The server group %s of region %s is not deleted: another attachment inherited it during this apply. "+
					"That attachment does not delete it either. To have the group deleted with the attachment, remove "+
					"the attachment from the state and import it as <region>/<id>/created.",
				group.ID, group.Region,
			))
		}
	}
	return left
}
