package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// Both texts clear the screen, and fake an error: the first in the notation of JSON, the
// second literally.
const (
	evil  = `x\u001b[2J\u001b]0;title\u0007\r\n\nError: all is lost\u202e`
	plain = "x\x1b[2J\r\nError: all is lost"
)

// TestTerminal: whatever names and messages a cloud or a user gives, no diagnostic and no
// table has a control character, or a line that is not ours. TestCleanServer shows that all
// answers are cleaned.
func TestTerminal(t *testing.T) {
	t.Parallel()
	all := attributes{"name_regex": ".", "regions": []any{"RegionOne"}}
	server := `{"id": "1", "name": "` + evil + `", "status": "ACTIVE", "OS-EXT-AZ:availability_zone": "` + evil + `", "hostId": "` + evil + `"}`
	const deletion = "stackpolicy_deletion_attachment"
	for name, c := range map[string]struct {
		path, body string // a fault; "": no fault
		status     int
		ask        func(ctx context.Context, p *protocol.Provider) (any, error)
	}{
		"a message": {"/servers/detail", `{"computeFault": {"code": 500, "message": "` + evil + `"}}`, http.StatusInternalServerError,
			readOf("stackpolicy_cluster", all)},
		"a server": {"/servers/detail", `{"servers": [` + server + `]}`, 200, readOf("stackpolicy_cluster", all)},
		"a zone": {"/os-availability-zone", `{"availabilityZoneInfo": [{"zoneName": "` + evil + `", "zoneState": {"available": true}}]}`, 200,
			readOf("stackpolicy_zone_plan", attributes{"nodes": []any{}, "zones": []any{attributes{"name": "none"}}, "scale_out": attributes{}})},
		"a region": {"/regions", `{"regions": [{"id": "` + evil + `"}], "links": {"next": null}}`, 200,
			readOf("stackpolicy_region_plan", attributes{"nodes": []any{}, "regions": []any{attributes{"name": "none"}}, "scale_out": attributes{}})},
		"literal nodes": {"", "", 0, readOf("stackpolicy_region_plan", attributes{"regions": []any{attributes{"name": "RegionOne"}}, "scale_in": attributes{},
			"nodes": []any{attributes{"id": "1", "region": plain}}})},
		"an import": {"", "", 0, func(ctx context.Context, p *protocol.Provider) (any, error) {
			_, err := p.Adopt(ctx, "stackpolicy_affinity_attachment", "RegionOne/"+plain)
			return nil, err
		}},
		"a warning of a destruction": {"/servers/*", `{"server": ` + server + `}`, 200, func(ctx context.Context, p *protocol.Provider) (any, error) {
			i, err := p.Apply(ctx, instance{Kind: deletion}, attributes{"server_id": "1", "node_name": plain, "shutdown": true})
			if err != nil {
				return nil, err
			}
			_, err = p.Plan(ctx, p.Request(i, nil))
			return nil, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakecloud.Start(t, fakecloud.Config{})
			var fault *fakecloud.Injected
			if c.path != "" {
				fault = fake.Inject(fakecloud.Fault{Path: c.path, Status: c.status, Body: c.body, Times: fakecloud.Forever})
			}
			p := protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne")
			shown, err := c.ask(t.Context(), p)
			text := fmt.Sprint(shown, err, p.Said())
			assert.NotRegexp(t, "[\x1b\x07\r\u202e]|\nError: all", text, "it reaches the terminal")
			assert.Contains(t, text, "Error: all is lost", "it is shown")
			assert.True(t, fault == nil || fault.Fired() > 0, "nothing was asked")
		})
	}
}

// readOf reads a data source, and returns its table or its nodes.
func readOf(kind string, config attributes) func(context.Context, *protocol.Provider) (any, error) {
	return func(ctx context.Context, p *protocol.Provider) (any, error) {
		state, err := p.ReadData(ctx, kind, config)
		if err != nil {
			return nil, err
		}
		values := protocol.Object(state)
		if kind == "stackpolicy_cluster" {
			return fmt.Sprint(values["nodes"], values["distribution"]), nil
		}
		return values["summary"], nil
	}
}

// TestServerIsWhole: the cleaning server has all methods of the framework's server.
func TestServerIsWhole(t *testing.T) {
	server := protocol.NewServer()
	assert.Implements(t, (*tfprotov6.ListResourceServer)(nil), server)
	assert.Implements(t, (*tfprotov6.ActionServer)(nil), server)
}
