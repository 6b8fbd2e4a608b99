package value

import "github.com/hashicorp/terraform-plugin-framework/resource"

// ByIdentity reports whether an import gives the identity of the resource, and no id.
// It may give neither: an id can be empty.
func ByIdentity(req resource.ImportStateRequest) bool {
	return req.ID == "" && req.Identity != nil && !req.Identity.Raw.IsNull()
}
