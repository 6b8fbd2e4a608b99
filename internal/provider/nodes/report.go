package nodes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// ReportRead reports why a cluster could not be read. Group is where the server
// group of the selector is named; without is how to go on without a region that
// does not answer, a sentence.
func ReportRead(err error, group path.Path, without string, diags *diag.Diagnostics) {
	gone, isGone := errors.AsType[*cluster.GroupGoneError](err)
	_, refused := errors.AsType[*cluster.LoginError](err)
	_, region := errors.AsType[*cluster.RegionError](err)
	switch {
	case isGone:
		diags.AddAttributeError(group, "Unknown server group", fmt.Sprintf("No region that is read (%s) has the server group %q. Correct the id, add the region that has it, or select servers in another way.", strings.Join(gone.Regions, ", "), gone.ID))
	case refused:
		diags.AddError("Unable to log in", text.Sentence(err)+" Check the credentials and auth_url in the provider block, in clouds.yaml and in the environment.")
	case region:
		diags.AddError("Unable to read the cluster", err.Error()+"\n\n"+without)
	default:
		diags.AddError("Unable to read the cluster", err.Error())
	}
}
