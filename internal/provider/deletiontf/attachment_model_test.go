package deletiontf

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hooked is a hook block: null, or of a type with a timeout, "" for none.
func hooked(t *testing.T, kind string, timeout any) types.Object {
	t.Helper()
	block := hookblock.Block("").Type().(types.ObjectType)
	if kind == "" {
		return types.ObjectNull(block.AttrTypes)
	}
	all := map[string]attr.Value{}
	for name, of := range block.AttrTypes {
		given := map[string]any{"type": kind, "timeout": timeout}[name]
		v, err := of.ValueFromTerraform(t.Context(), tftypes.NewValue(of.TerraformType(t.Context()), given))
		require.NoError(t, err)
		all[name] = v
	}
	return types.ObjectValueMust(block.AttrTypes, all)
}

// TestLimit: the destruction may take as long as all that it does.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name     string
		hook     types.Object
		shutdown bool
		grace    time.Duration
		want     time.Duration
	}{
		{"nothing", hooked(t, "", nil), false, 0, time.Minute},
		{"a grace period", hooked(t, "", nil), false, 90 * time.Second, 150 * time.Second},
		{"a hook", hooked(t, "zaqar", "30m"), false, 0, 31 * time.Minute},
		{"a hook that has its default", hooked(t, "zaqar", nil), false, 0, time.Minute + hook.DefaultTimeout},
		{"a shutdown", hooked(t, "", nil), true, 0, 6 * time.Minute},
		{"all", hooked(t, "zaqar", "30m"), true, 90 * time.Second, 37*time.Minute + 30*time.Second},
	} {
		m := nodeModel{Hook: c.hook, Shutdown: types.BoolValue(c.shutdown), GracePeriod: durations.Of(c.grace)}
		assert.Equal(t, c.want, m.limit(), c.name)
	}
}

// TestWarnCleans: a name has no part in how the warning looks, without the server
// that cleans what others forgot.
func TestWarnCleans(t *testing.T) {
	const name = "x\x1b[2J\r\nError: all is lost"
	for _, node := range []nodeModel{{NodeName: types.StringValue(name), ServerID: types.StringValue("1")}, {ServerID: types.StringValue(name)}} {
		node.Hook, node.Shutdown = hooked(t, "", nil), types.BoolValue(true)
		var diags diag.Diagnostics
		attachmentModel{nodeModel: node}.leave(t.Context(), new(backend.Walk), &diags)
		require.Len(t, diags, 1)
		said := diags[0].Summary() + ": " + diags[0].Detail()
		if strings.ContainsAny(said, "\x1b\r") || strings.Contains(said, "\nError") || !strings.Contains(said, "Error: all is lost") {
			t.Errorf("got %q", said)
		}
	}
}

// TestImport: by id and by identity, which may leave the region out. Terraform
// imports by identity from 1.12 on, so it is tried here.
func TestImport(t *testing.T) {
	schema, identity := attachmentSchema(), identityschema.Schema{Attributes: attachmentIdentity()}
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
		resp := &resource.ImportStateResponse{State: tfsdk.State{Schema: schema, Raw: tftypes.NewValue(schema.Type().TerraformType(t.Context()), nil)},
			Identity: &tfsdk.ResourceIdentity{Schema: identity, Raw: tftypes.NewValue(kind, nil)}}
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
	model := attachmentModel{nodeModel: nodeModel{Shutdown: types.BoolValue(true)}, Enabled: types.BoolValue(true)}
	assert.Len(t, model.steps(), 1)
	model.Enabled = types.BoolNull()
	assert.Len(t, model.steps(), 1, "where nothing is said")
	model.Enabled = types.BoolValue(false)
	if steps := model.steps(); steps != nil {
		t.Errorf("disabled: %v", steps)
	}
	if steps := (attachmentModel{}).steps(); steps != nil {
		t.Errorf("nothing asked: %v", steps)
	}
}
