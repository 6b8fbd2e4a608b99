package affinitytf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// addAttachError reports why no group was attached, at the argument that asked
// for it.
func addAttachError(err error, diags *diag.Diagnostics) {
	at, detail := path.Root("servergroup").AtName("name"), text.Sentence(err)
	lost, isLost := errors.AsType[*affinity.LostError](err)
	missing, isMissing := errors.AsType[*affinity.MissingError](err)
	unsupported, isUnsupported := errors.AsType[*affinity.UnsupportedError](err)
	switch {
	case isLost:
		diags.AddError("Unable to find out whether the server group was created", lostDetail(lost))
	case value.Is[*affinity.MismatchError](err):
		diags.AddAttributeError(path.Root("servergroup").AtName("policies"), "The server group has other rules",
			detail+" The rules of a group cannot change: ask for its rules, or name another group. If this attachment "+
				"created the group and must be replaced, apply without -replace (or untaint it): then it takes "+
				"another group in place.")
	case value.Is[*affinity.ExistsError](err):
		diags.AddAttributeError(path.Root("created"), "The server group exists", detail+" Name another group, or "+
			"leave created out to inherit this one. If it was created for this cluster, import it as "+
			"<region>/<id>/created, or move the resource that created it here.")
	case value.Is[*affinity.AmbiguousError](err):
		diags.AddAttributeError(at, "Several server groups have the name", detail)
	case isMissing:
		if missing.Hinted {
			at = path.Root("scheduler_hints").AtName("group")
		}
		diags.AddAttributeError(at, "Unknown server group", detail)
	case isUnsupported:
		if unsupported.Argument == "policies" {
			detail += " Every Nova has the policies anti-affinity and affinity."
		}
		diags.AddAttributeError(path.Root("servergroup").AtName(unsupported.Argument), "Nova is too old", detail)
	default:
		diags.AddError("Unable to attach the server group", err.Error())
	}
}

func lostDetail(lost *affinity.LostError) string {
	detail := fmt.Sprintf("The answer was lost: %s. ", lost)
	switch {
	case lost.Own:
		return detail + "The next apply looks for it, and removes it before it makes a new one."
	case len(lost.IDs) > 0:
		detail += fmt.Sprintf("Nova has a server group of this name now (%s), but anybody may have made it, so it "+
			"does not count as created by this attachment. ", strings.Join(lost.IDs, ", "))
	default:
		detail += "There is no group of this name yet, but Nova may still make it. "
	}
	return detail + "The next apply inherits a group of this name if there is one; that group stays when the " +
		"attachment is destroyed. If the group is yours, import it instead as <region>/<id>/created."
}
