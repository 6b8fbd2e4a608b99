package readinesstf

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/readiness"
	"github.com/stretchr/testify/assert"
)

// model is an attachment with these arguments; all others are null.
func model(t *testing.T, given map[string]any) attachmentModel {
	t.Helper()
	schema := attachmentSchema()
	kind := schema.Type().TerraformType(t.Context()).(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, of := range kind.AttributeTypes {
		values[name] = valueOf(of, given[name])
	}
	var m attachmentModel
	config := tftypes.NewValue(kind, values)
	if diags := (tfsdk.Config{Schema: schema, Raw: config}).Get(t.Context(), &m); diags.HasError() {
		t.Fatal(diags)
	}
	return m
}

// valueOf is a value of a type, as a configuration has it.
func valueOf(of tftypes.Type, v any) tftypes.Value {
	fields, ok := v.(map[string]any)
	if !ok {
		return tftypes.NewValue(of, v)
	}
	values := map[string]tftypes.Value{}
	switch of := of.(type) {
	case tftypes.Map:
		for name, field := range fields {
			values[name] = valueOf(of.ElementType, field)
		}
	case tftypes.Object:
		for name, kind := range of.AttributeTypes {
			values[name] = valueOf(kind, fields[name])
		}
	}
	return tftypes.NewValue(of, values)
}

// TestNodes: each server is waited for as the configuration has it, and where it says
// nothing in the provider's region, with the default mark.
func TestNodes(t *testing.T) {
	m := model(t, map[string]any{"cluster": "web", "servers": map[string]any{
		"web-0": map[string]any{"id": "a", "region": "RegionTwo", "address": "[fd00::1]", "mark": "2-0f3a9c21"},
		"web-1": map[string]any{"id": "b"},
	}})
	want := map[string]readiness.Node{
		"web-0": {Name: "web-0", ID: "a", Region: "RegionTwo", Address: "[fd00::1]", Mark: "2-0f3a9c21"},
		"web-1": {Name: "web-1", ID: "b", Region: "RegionOne", Mark: "1"},
	}
	got := m.nodes("RegionOne")
	assert.Equal(t, want, got)
	if regions := m.regions(); !reflect.DeepEqual(regions, []string{"RegionTwo"}) || !m.regionless() {
		t.Errorf("regions %v, without one: %t", regions, m.regionless())
	}
	n := got["web-0"]
	if got, want := m.message(n), (hook.Message{Token: n.Token(), NodeID: "a", Transition: hook.Launch, Region: "RegionTwo", NodeName: "web-0",
		Cluster: "web", Address: "fd00::1"}); got != want {
		t.Errorf("the consumer gets %+v", got)
	}
}

// TestWaiter: what waits has the checks and the times of the configuration, and their
// defaults.
func TestWaiter(t *testing.T) {
	hooks := &hook.Runner{HTTP: &http.Client{}}
	var diags diag.Diagnostics
	w := model(t, map[string]any{"http": map[string]any{"url": "http://x/{name}", "status": "204"}, "tcp": map[string]any{"port": 8443},
		"stable_for": "11s", "timeout": "222"}).waiter(hooks, &diags)
	if diags.HasError() || w.StableFor != 11*time.Second || w.Timeout != 222*time.Second || w.HTTP == nil || w.HTTP.Client != hooks.HTTP ||
		w.TCP == nil || w.TCP.Port != 8443 || w.Hook != nil {
		t.Errorf("%v: %+v", diags, w)
	}
	if address, err := w.HTTP.URL.For("web-0", ""); err != nil || address.String() != "http://x/web-0" || len(w.HTTP.Status) != 1 {
		t.Errorf("asks %s, %v, for %v", address, err, w.HTTP.Status)
	}
	w = model(t, nil).waiter(hooks, &diags)
	if diags.HasError() || w.StableFor != 0 || w.Timeout != defaultTimeout || w.HTTP != nil || w.TCP != nil {
		t.Errorf("by default: %v: %+v", diags, w)
	}
	w = model(t, map[string]any{"hook": map[string]any{"type": "webhook", "url": "http://127.0.0.1:1/", "default_result": "ABANDON", "timeout": "1s"}}).waiter(
		&hook.Runner{HTTP: &http.Client{Transport: refusing{}}}, &diags)
	if w.Hook == nil {
		t.Fatal("there is no hook")
	}
	if _, err := w.Hook(t.Context(), readiness.Node{Name: "web-0", ID: "a"}); err == nil || !strings.HasPrefix(err.Error(), "its hook did not complete: ") || strings.Contains(err.Error(), "ABANDON") {
		t.Errorf("got %v", err)
	}
}

// refusing is a network without a way.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("no way") }

// TestChecks: what is wrong is reported at its argument, and what is not known yet is not.
func TestChecks(t *testing.T) {
	unknown := tftypes.UnknownValue
	at := func(address any) map[string]any {
		return map[string]any{"web-0": map[string]any{"id": "a", "address": address}}
	}
	for name, c := range map[string]struct {
		given map[string]any
		at    string
	}{
		"nothing":                        {nil, ""},
		"a bad URL":                      {map[string]any{"http": map[string]any{"url": "ftp://x"}}, "http.url"},
		"one service for all":            {map[string]any{"http": map[string]any{"url": "http://x/"}}, "http.url"},
		"a URL, not known":               {map[string]any{"http": map[string]any{"url": unknown}}, ""},
		"bad statuses":                   {map[string]any{"http": map[string]any{"url": "http://{name}", "status": "many"}}, "http.status"},
		"statuses, not known":            {map[string]any{"http": map[string]any{"url": "http://{name}", "status": unknown}}, ""},
		"a port, not known":              {map[string]any{"tcp": map[string]any{"port": unknown}}, ""},
		"stable too long":                {map[string]any{"stable_for": "10m", "timeout": "10m"}, "stable_for"},
		"stable for a second less":       {map[string]any{"stable_for": "599s", "timeout": "10m"}, ""},
		"stable, the timeout not known":  {map[string]any{"stable_for": "1h", "timeout": unknown}, ""},
		"a hook without its queue":       {map[string]any{"hook": map[string]any{"type": "zaqar", "default_result": "ABANDON"}}, "hook.queue"},
		"no address":                     {map[string]any{"tcp": map[string]any{"port": 22}, "servers": at(nil)}, `servers["web-0"].address`},
		"no address, and none needed":    {map[string]any{"http": map[string]any{"url": "http://x/{name}"}, "servers": at(nil)}, ""},
		"an address, not known":          {map[string]any{"tcp": map[string]any{"port": 22}, "servers": at(unknown)}, ""},
		"a link-local one":               {map[string]any{"tcp": map[string]any{"port": 22}, "servers": at("169.254.1.1")}, `servers["web-0"].address`},
		"a link-local one, allowed":      {map[string]any{"tcp": map[string]any{"port": 22}, "servers": at("169.254.1.1"), "allow_link_local": true}, ""},
		"a link-local one, perhaps":      {map[string]any{"tcp": map[string]any{"port": 22}, "servers": at("169.254.1.1"), "allow_link_local": unknown}, ""},
		"what is no address":             {map[string]any{"http": map[string]any{"url": "http://{address}/"}, "servers": at("web-0/x")}, `servers["web-0"].address`},
		"what is no address, not needed": {map[string]any{"servers": at("web-0/x")}, ""},
	} {
		var diags diag.Diagnostics
		model(t, c.given).checks(&diags)
		if len(diags) != min(1, len(c.at)) {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		for _, d := range diags {
			if at := d.(diag.DiagnosticWithPath).Path().String(); at != c.at {
				t.Errorf("%s: at %s, want %s", name, at, c.at)
			}
		}
	}
}
