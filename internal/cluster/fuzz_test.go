package cluster_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/cluster"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
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
