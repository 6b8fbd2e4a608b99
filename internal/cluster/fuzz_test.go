package cluster_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// reader reads a cluster from pages that a test makes up.
type reader struct {
	fake  *fakecloud.Cloud
	cloud *openstack.Cloud
}

func newReader(f *testing.F) reader {
	fake := fakecloud.Start(f, fakecloud.Config{})
	return reader{fake, login(f, fake)}
}

// read reads a cluster with the page in place of Nova's first one.
func (r reader) read(t *testing.T, page []byte, query cluster.Query) ([]node.Node, error) {
	fault := r.fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Path: "/servers/detail", Status: http.StatusOK, Body: string(page)})
	defer r.fake.ResetRequests()
	defer fault.Remove()
	query.Regions, query.NoProfiles = []string{"RegionOne"}, true
	return cluster.Read(t.Context(), r.cloud, query)
}

// FuzzPage: any page of servers is read in full or not at all. A page that breaks off never looks like a smaller
// cluster.
func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		`{"servers": [{"id": "1", "name": "web-0", "status": "ACTIVE", "created": "2026-01-01T00:00:00Z", "OS-EXT-AZ:availability_zone": "az-1", "image": ` +
			`{"id": "i"}, "metadata": {"a": "b"}, "tags": ["t"], "locked": true}]}`,
		`{"servers": [{"id": "1", "status": "UNKNOWN", "links": []}], "servers_links": [{"rel": "next", "href": "http://elsewhere/"}]}`,
		`{"servers": [{"id": "1", "name": "a", "status": "BUILD", "image": "", "OS-EXT-AZ:availability_zone": "az-1:host", "hostId": ""}]}`,
		`{"servers": [{"id": "\ud800é", "name": "q\"uote", "status": "ERROR", "created": null, "metadata": null, "tags": null}]}`,
		`{"servers": []}`, `{}`, `{"servers": null}`, `[]`, `null`, ``, `{"servers": [{}]}`, `{"servers": [null]}`, `{"servers": {"id": "1"}}`,
		`{"servers": [], "servers": [{"id": "1", "name": "a", "status": "ACTIVE"}]}`, "{\"servers\": []}\x00",
	} {
		f.Add([]byte(seed), uint16(len(seed)/2))
	}
	r := newReader(f)
	all := cluster.Query{Selector: cluster.Selector{NameRegex: "^"}}
	f.Fuzz(func(t *testing.T, page []byte, cut uint16) {
		nodes, err := r.read(t, page, all)
		if err == nil && !json.Valid(page) {
			t.Errorf("%d nodes were read from what is no JSON", len(nodes))
		}
		for i, n := range nodes {
			if n.ID == "" || n.Status == "" || strings.Contains(n.Zone, ":") {
				t.Errorf("node %d is %+v", i, n)
			}
		}
		if half := page[:min(int(cut), len(page))]; !json.Valid(half) {
			if nodes, err := r.read(t, half, all); err == nil {
				t.Errorf("%d nodes were read from %d of %d bytes", len(nodes), len(half), len(page))
			}
		}
	})
}

// FuzzMetadata: users may write anything into metadata. The policies' keys are read, and no metadata keeps the server
// from being read.
func FuzzMetadata(f *testing.F) {
	for _, seed := range [][2]string{
		{"stackpolicy_tainted", "true"}, {"stackpolicy_tainted", " No "}, {"stackpolicy_protected", "0"}, {"stackpolicy_protected", "\u2028"},
		{"", ""}, {"STACKPOLICY_TAINTED", "yes"}, {"a:b/c", "é\x00"},
	} {
		f.Add(seed[0], seed[1])
	}
	r := newReader(f)
	f.Fuzz(func(t *testing.T, key, value string) {
		page, err := json.Marshal(map[string]any{"servers": []any{map[string]any{"id": "1", "name": "web", "status": "ACTIVE",
			"metadata": map[string]string{key: value}}}})
		require.NoError(t, err)
		var decoded struct {
			Servers []struct{ Metadata map[string]string }
		}
		require.NoError(t, json.Unmarshal(page, &decoded)) // bytes that are not UTF-8 are replaced here too
		metadata := decoded.Servers[0].Metadata
		nodes, err := r.read(t, page, cluster.Query{Selector: cluster.Selector{Metadata: metadata}})
		if err != nil || len(nodes) != 1 {
			t.Fatalf("got %+v, %v", nodes, err)
		}
		marked := func(key string) bool {
			value, set := metadata[key]
			return set && !slices.Contains([]string{"", "0", "false", "no", "off"}, strings.ToLower(strings.TrimSpace(value)))
		}
		n := nodes[0]
		if n.Tainted != marked("stackpolicy_tainted") || n.Protected != marked("stackpolicy_protected") {
			t.Errorf("%q was read as %+v", metadata, n)
		}
	})
}
