package deletiontf

import (
	"errors"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/backend"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/hookblock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hooked returns a hook block: null, or with a type and a timeout; "" is no timeout.
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

// TestLimit: the destruction may take as long as all its steps together.
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
		{"a hook", hooked(t, "webhook", "30m"), false, 0, 31 * time.Minute},
		{"a hook that has its default", hooked(t, "webhook", nil), false, 0, time.Minute + hook.DefaultTimeout},
		{"a shutdown", hooked(t, "", nil), true, 0, 6 * time.Minute},
		{"all", hooked(t, "webhook", "30m"), true, 90 * time.Second, 37*time.Minute + 30*time.Second},
	} {
		m := nodeModel{Hook: c.hook, Shutdown: types.BoolValue(c.shutdown), GracePeriod: durations.Of(c.grace)}
		assert.Equal(t, c.want, m.limit(), c.name)
	}
}

// TestSteps: a node is drained if enabled is null, as in a state without the argument.
func TestSteps(t *testing.T) {
	model := attachmentModel{nodeModel: nodeModel{Shutdown: types.BoolValue(true)}, Enabled: types.BoolNull()}
	assert.Len(t, model.steps(), 1)

	const odd = "a name\twith a tab"
	b, diags := backend.New(nil, errors.New("it is down"), nil), diag.Diagnostics{}
	b.Walk().Refreshed.Store(true)
	b.Walk().Publish(odd, backend.Cluster{})
	model.Cluster = types.StringValue(odd)
	model.leave(t.Context(), b, &diags)
	assert.Contains(t, diags[0].Detail(), ": shutdown. This plan destroys its deletion attachment. If the node stays: ")
}

// TestCriteria: the description of the plan names each criterion.
func TestCriteria(t *testing.T) {
	description := planSchema().Attributes["criteria"].GetMarkdownDescription()
	for _, name := range deletion.AllCriteria() {
		assert.Contains(t, description, "`"+name+"`")
	}
}
