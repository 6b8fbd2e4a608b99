package affinitytf

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
)

// leftoversKey is the private key of groups that the attachment created, no
// longer uses and could not delete. The next apply tries again.
const leftoversKey = "leftovers"

// privateState is Terraform's private state in any request or response.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// leftovers reads them.
func leftovers(ctx context.Context, private privateState, diags *diag.Diagnostics) []affinity.Created {
	text, more := private.GetKey(ctx, leftoversKey)
	diags.Append(more...)
	var left []affinity.Created
	if len(text) > 0 {
		_ = json.Unmarshal(text, &left) // only [keepLeftovers] writes them
	}
	return left
}

// keepLeftovers writes them.
func keepLeftovers(ctx context.Context, private privateState, left []affinity.Created, diags *diag.Diagnostics) {
	text, err := json.Marshal(slices.Concat([]affinity.Created{}, left))
	if err == nil {
		diags.Append(private.SetKey(ctx, leftoversKey, text)...)
	}
}

// describe names groups for people.
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

// detach deletes groups that the attachment created. It reports those that it
// could not delete, and returns them.
func (r *attachmentResource) detach(ctx context.Context, groups []affinity.Created, diags *diag.Diagnostics) (left []affinity.Created) {
	for _, group := range groups {
		cloud := r.Backend.Get(diags)
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
			diags.AddError("Unable to delete the server group", fmt.Sprintf("The attachment created it: %s. The next apply tries again.", err))
		case kept:
			diags.AddWarning("The server group stays", fmt.Sprintf("The server group %s of region %s is not deleted: another attachment inherited it during this apply. "+
				"It is not deleted with that one either. To have it deleted with the attachment, remove the attachment from the state and import it as <region>/<id>/created.", group.ID, group.Region))
		}
	}
	return left
}
