package placementtf

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
	"github.com/stretchr/testify/assert"
)

type fields = map[string]any

// given is an attachment with these arguments; all others are null.
func given(t *testing.T, arguments fields) attachmentModel {
	t.Helper()
	schema := attachmentSchema()
	var m attachmentModel
	config := valueOf(schema.Type().TerraformType(t.Context()), arguments)
	if diags := (tfsdk.Config{Schema: schema, Raw: config}).Get(t.Context(), &m); diags.HasError() {
		t.Fatal(diags)
	}
	return m
}

// valueOf is a value of a type, as a configuration has it.
func valueOf(of tftypes.Type, v any) tftypes.Value {
	switch of := of.(type) {
	case tftypes.Object:
		if arguments, ok := v.(fields); ok {
			values := map[string]tftypes.Value{}
			for name, kind := range of.AttributeTypes {
				values[name] = valueOf(kind, arguments[name])
			}
			return tftypes.NewValue(of, values)
		}
	case tftypes.List:
		if list, ok := v.([]any); ok {
			values := make([]tftypes.Value, len(list))
			for i, e := range list {
				values[i] = valueOf(of.ElementType, e)
			}
			return tftypes.NewValue(of, values)
		}
	}
	return tftypes.NewValue(of, v)
}

// TestHealthBlock: what is looked at is what the configuration says, with the defaults; what is
// wrong is reported at its argument, and what is not known yet is not.
func TestHealthBlock(t *testing.T) {
	for name, c := range map[string]struct {
		health any
		want   string
		at     string
	}{
		"absent":            {nil, "", ""},
		"by default":        {fields{"http": fields{"url": "http://x/{name}"}}, "http http://x/web-0 200-299 grace 10m0s timeout 10s", ""},
		"all":               {fields{"http": fields{"url": "http://x/{name}", "status": "204"}, "grace": "0s", "timeout": "3s"}, "http http://x/web-0 204-204 grace 0s timeout 3s", ""},
		"tcp":               {fields{"tcp": fields{"port": 8443}, "grace": "1h"}, "tcp 8443 grace 1h0m0s timeout 10s", ""},
		"octavia":           {fields{"octavia": fields{"pool_ids": []any{"a", "b"}}}, "octavia [a b] grace 10m0s timeout 10s", ""},
		"nothing":           {fields{}, "", "health"},
		"a bad URL":         {fields{"http": fields{"url": "ftp://x"}}, "", "health.http.url"},
		"one for all":       {fields{"http": fields{"url": "http://x/"}}, "", "health.http.url"},
		"bad statuses":      {fields{"http": fields{"url": "http://{name}", "status": "many"}}, "", "health.http.status"},
		"not known":         {tftypes.UnknownValue, "", ""},
		"a URL, not known":  {fields{"http": fields{"url": tftypes.UnknownValue}}, "", ""},
		"a port, not known": {fields{"tcp": fields{"port": tftypes.UnknownValue}}, "", ""},
	} {
		var diags diag.Diagnostics
		check, grace := given(t, fields{"health": c.health}).health(t.Context(), &diags)
		got := ""
		switch {
		case check == nil && grace != time.Duration(0):
			t.Errorf("%s: a grace of %s for nothing", name, grace)
		case check == nil:
		case check.HTTP != nil:
			address, err := check.HTTP.URL.For("web-0", "")
			got = fmt.Sprintf("http %s ", address)
			for _, r := range check.HTTP.Status {
				got += fmt.Sprintf("%d-%d", r[0], r[1])
			}
			assert.NoError(t, err, name)
		case check.TCP != nil:
			got = fmt.Sprintf("tcp %d", check.TCP.Port)
		default:
			got = fmt.Sprintf("octavia %v", check.Pools)
		}
		if check != nil {
			got += fmt.Sprintf(" grace %s timeout %s", grace, check.Timeout)
		}
		assert.Equal(t, c.want, got, "%s: looks at", name)
		var at []string
		for _, d := range diags {
			at = append(at, d.(diag.DiagnosticWithPath).Path().String())
		}
		if want := []string{c.at}; !slices.Equal(at, want[:min(1, len(c.at))]) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestSpreadTable: each place has its own number of nodes with the template that is wanted
// there, a region those of its zones, and the total all; without templates none is shown.
func TestSpreadTable(t *testing.T) {
	at := func(zone string) placement.Place { return placement.Place{Region: "RegionOne", Zone: zone} }
	old, wanted := roster.NewTemplate(map[string]string{"image": "a"}), roster.NewTemplate(map[string]string{"image": "b"})
	own := roster.NewTemplate(map[string]string{"image": "c"})
	nodes := map[string]roster.Node{}
	for i, n := range []roster.Node{
		{Place: at("az-1"), Template: wanted}, {Place: at("az-1"), Template: wanted}, {Place: at("az-1"), Template: old},
		{Place: at("az-2"), Template: own}, {Place: at("az-2"), Template: own}, {Place: at("az-2"), Template: wanted},
		{Place: placement.Place{Region: "RegionTwo"}, Template: wanted},
	} {
		nodes[fmt.Sprint("web-", i)] = n
	}
	bin := func(name string) placement.Bin {
		return placement.Bin{Name: name, Weight: placement.DefaultWeight, Cap: placement.Unlimited}
	}
	listed := []placement.Region{{Bin: bin("RegionOne"), Zones: []placement.Bin{bin("az-1"), bin("az-2")}}, {Bin: bin("RegionTwo")}}
	templates := roster.NewTemplates(map[placement.Place]roster.Template{{}: wanted, at("az-2"): own})
	r := roster.Roster{Nodes: nodes}
	const table = `place      nodes     ideal  weight   min    cap
RegionOne      6      3.50     100     0   none  wanted 4, others 2
  az-1         3      1.75     100     0   none  wanted 2, others 1
  az-2         3      1.75     100     0   none  wanted 2, others 1
RegionTwo      1      3.50     100     0   none  wanted 1
total          7                                 wanted 5, others 2
`
	assert.Equal(t, table, spreadTable(r, listed, templates))
	const bare = `place      nodes     ideal  weight   min    cap
RegionOne      6      3.50     100     0   none
  az-1         3      1.75     100     0   none
  az-2         3      1.75     100     0   none
RegionTwo      1      3.50     100     0   none
total          7
`
	assert.Equal(t, bare, spreadTable(r, listed, nil), "without templates")
}
