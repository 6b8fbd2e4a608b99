package durations_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/durations"
	"github.com/stretchr/testify/assert"
)

func TestValue(t *testing.T) {
	for _, c := range []struct {
		text  types.String
		want  time.Duration // an hour: the value gives no duration
		known bool
	}{
		{types.StringValue("90"), 90 * time.Second, true},
		{types.StringValue("30d"), 720 * time.Hour, true},
		{types.StringNull(), time.Hour, true},
		{types.StringUnknown(), time.Hour, false},
		{types.StringValue("soon"), time.Hour, false},
	} {
		assert.Equal(t, c.want, durations.Or(c.text, time.Hour), "%v", c.text)
		assert.Equal(t, c.known, durations.Known(c.text), "%v", c.text)
	}
}

// TestBetween: both bounds are allowed, and an unknown value is not refused.
func TestBetween(t *testing.T) {
	unknown, null := types.StringUnknown(), types.StringNull()
	for given, refused := range map[types.String]bool{
		unknown:                    false,
		null:                       false,
		types.StringValue("10s"):   false,
		types.StringValue("1h"):    false,
		types.StringValue("3600"):  false,
		types.StringValue("9s"):    true,
		types.StringValue("0"):     true,
		types.StringValue("3601s"): true,
		types.StringValue("soon"):  true,
		types.StringValue(""):      true,
	} {
		req := validator.StringRequest{Path: path.Root("timeout"), ConfigValue: given}
		var resp validator.StringResponse
		for _, v := range durations.Argument(10*time.Second, time.Hour, "").Validators {
			v.ValidateString(t.Context(), req, &resp)
		}
		assert.Equal(t, refused, resp.Diagnostics.HasError(), "%s: %v", given, resp.Diagnostics)
		for _, d := range resp.Diagnostics {
			assert.Equal(t, req.Path, d.(diag.DiagnosticWithPath).Path(), "%s", given)
			assert.Contains(t, d.Detail(), "10s", "%s", given)
		}
	}
}
