package nodes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
)

// ReportRead reports why a cluster could not be read. Group is the path of the selector's
// server group; without is a sentence that says how to go on without a region that does
// not answer.
func ReportRead(err error, group path.Path, without string, diags *diag.Diagnostics) {
	gone, isGone := errors.AsType[*cluster.GroupGoneError](err)
	_, region := errors.AsType[*cluster.RegionError](err)
	switch {
	case isGone:
		diags.AddAttributeError(group, "Unknown server group", fmt.Sprintf("No region that is read (%s) has the "+
			"server group %q. Correct the id, add the region that has it, or select servers in another way.",
			strings.Join(gone.Regions, ", "), gone.ID))
	case region:
		diags.AddError("Unable to read the cluster", err.Error()+"\n\n"+without)
	default:
		diags.AddError("Unable to read the cluster", err.Error())
	}
}
