package deletiontf

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestImport: by id and by identity, which may leave the region out. Terraform
// imports by identity from 1.12 on, so it is tried here.
func TestImport(t *testing.T) {
	schema, identity := attachmentSchema(), attachmentIdentity()
	kind := identity.Type().TerraformType(t.Context())
	by := func(region, server any) *tfsdk.ResourceIdentity {
		return &tfsdk.ResourceIdentity{Schema: identity, Raw: tftypes.NewValue(kind, map[string]tftypes.Value{
			"region": tftypes.NewValue(tftypes.String, region), "server_id": tftypes.NewValue(tftypes.String, server)})}
	}
	for name, c := range map[string]struct {
		id       string
		identity *tfsdk.ResourceIdentity
		want     attachmentIdentityModel
		fails    bool
	}{
		"by id":                          {id: "Region/One/s-1", want: attachmentIdentityModel{types.StringValue("Region/One"), types.StringValue("s-1")}},
		"by identity":                    {identity: by("RegionTwo", "s-1"), want: attachmentIdentityModel{types.StringValue("RegionTwo"), types.StringValue("s-1")}},
		"by identity, without a region":  {identity: by(nil, "s-1"), want: attachmentIdentityModel{types.StringNull(), types.StringValue("s-1")}},
		"by an id that has no region":    {id: "s-1", fails: true},
		"by an id that has no server id": {id: "RegionOne/", fails: true},
		"by nothing":                     {fails: true},
	} {
		resp := &resource.ImportStateResponse{
			State:    tfsdk.State{Schema: schema, Raw: tftypes.NewValue(schema.Type().TerraformType(t.Context()), nil)},
			Identity: &tfsdk.ResourceIdentity{Schema: identity, Raw: tftypes.NewValue(kind, nil)},
		}
		(&attachmentResource{}).ImportState(t.Context(), resource.ImportStateRequest{ID: c.id, Identity: c.identity}, resp)
		if resp.Diagnostics.HasError() != c.fails {
			t.Errorf("%s: %v", name, resp.Diagnostics)
		}
		if c.fails {
			continue
		}
		var state attachmentModel
		var got attachmentIdentityModel
		resp.Diagnostics.Append(resp.State.Get(t.Context(), &state)...)
		resp.Diagnostics.Append(resp.Identity.Get(t.Context(), &got)...)
		if resp.Diagnostics.HasError() || got != c.want || state.identity() != c.want || !state.enabled() || !state.Hook.IsNull() {
			t.Errorf("%s: identity %v, state %v, %v", name, got, state, resp.Diagnostics)
		}
	}
}

// TestSteps: a destruction that does nothing has no steps, and no server is asked
// for it.
func TestSteps(t *testing.T) {
	model := attachmentModel{Enabled: types.BoolValue(true), Shutdown: types.BoolValue(true)}
	if steps := model.steps(); len(steps) != 1 {
		t.Errorf("got %v", steps)
	}
	model.Enabled = types.BoolNull()
	if steps := model.steps(); len(steps) != 1 {
		t.Errorf("where nothing is said: %v", steps)
	}
	model.Enabled = types.BoolValue(false)
	if steps := model.steps(); steps != nil {
		t.Errorf("disabled: %v", steps)
	}
	if steps := (attachmentModel{}).steps(); steps != nil {
		t.Errorf("nothing asked: %v", steps)
	}
}
