package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
)

// evil is a name that clears the screen, and makes up an error of its own.
const evil = `x\u001b[2J\u001b]0;title\u0007\r\n\nError: all is lost\u202e`

// TestTerminal: whatever names and messages a cloud gives, no diagnostic and no
// table has a control character, nor a line that is not ours.
func TestTerminal(t *testing.T) {
	t.Parallel()
	all := attributes{"name_regex": ".", "regions": []any{"RegionOne"}}
	for name, c := range map[string]struct {
		path, body string
		status     int
		ask        func(ctx context.Context, p *protocol.Provider) (any, error)
	}{
		"a message": {"/servers/detail", "\x1b[2J\r\nError: all is lost", http.StatusInternalServerError, readOf("stackpolicy_cluster", all)},
		"a page":    {"/servers/detail", "<p>\x1b[2J\r\nError: all is lost", http.StatusNotFound, readOf("stackpolicy_cluster", all)},
		"a server": {"/servers/detail", `{"servers": [{"id": "1", "name": "` + evil + `", "status": "ACTIVE", "OS-EXT-AZ:availability_zone": "` + evil + `", "hostId": "` + evil + `"}]}`, 200,
			readOf("stackpolicy_cluster", all)},
		"a date":    {"/servers/detail", `{"servers": [{"id": "` + evil + `", "name": "web", "status": "ACTIVE", "created": "` + evil + `"}]}`, 200, readOf("stackpolicy_cluster", all)},
		"no status": {"/servers/detail", `{"servers": [{"id": "1", "name": "` + evil + `"}]}`, 200, readOf("stackpolicy_cluster", all)},
		"a zone": {"/os-availability-zone", `{"availabilityZoneInfo": [{"zoneName": "` + evil + `", "zoneState": {"available": true}}]}`, 200,
			readOf("stackpolicy_zone_plan", attributes{"nodes": []any{}, "zones": []any{attributes{"name": "none"}}, "scale_out": attributes{}})},
		"a region": {"/regions", `{"regions": [{"id": "` + evil + `"}], "links": {"next": "http://` + "evil.example/" + evil + `"}}`, 200,
			readOf("stackpolicy_region_plan", attributes{"nodes": []any{}, "regions": []any{attributes{"name": "none"}}, "scale_out": attributes{}})},
		"a version": {"/", `{"version": {"id": "v2.1", "version": "` + evil + `"}}`, 200, readOf("stackpolicy_cluster", all)},
		"literal nodes": {"/nothing", "", 200, readOf("stackpolicy_region_plan", attributes{"regions": []any{attributes{"name": "RegionOne"}}, "scale_in": attributes{},
			"nodes": []any{attributes{"id": "1", "region": "x\x1b[2J\r\nError: all is lost"}}})},
		"an id": {"/nothing", "", 200, readOf("stackpolicy_affinity_plan", attributes{"servergroup_id": "x\x1b[2J", "scale_out": attributes{}})},
		"an import": {"/nothing", "", 200, func(ctx context.Context, p *protocol.Provider) (any, error) {
			_, err := p.Adopt(ctx, "stackpolicy_affinity_attachment", "RegionOne/x\x1b[2J")
			return nil, err
		}},
		"protected": {"/nothing", "", 200, readOf("stackpolicy_deletion_plan", attributes{"scale_in": attributes{}, "protected": []any{"x\x1b[2J\r\nError: all is lost"},
			"nodes": []any{attributes{"id": "1", "name": "x\x1b[2J\r\nError: all is lost"}}})},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		fake.Inject(fakecloud.Fault{Path: c.path, Status: c.status, Body: c.body, Times: fakecloud.Forever})
		shown, err := c.ask(t.Context(), protocol.Start(t, fake, fakecloud.MemberUser, "RegionOne"))
		text := fmt.Sprint(shown, err)
		if strings.ContainsAny(text, "\x1b\x07\r\u202e") || strings.Contains(text, "\nError: all") {
			t.Errorf("%s: %q", name, text)
		}
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

// TestServerIsWhole: the server that cleans offers all that the framework's does.
func TestServerIsWhole(t *testing.T) {
	server := protocol.NewServer()
	if _, ok := server.(tfprotov6.ListResourceServer); !ok {
		t.Error("it lists no resources")
	}
	if _, ok := server.(tfprotov6.ActionServer); !ok {
		t.Error("it runs no actions")
	}
}
