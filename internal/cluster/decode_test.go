package cluster

import (
	"strings"
	"testing"
	"time"
)

func TestDecodePage(t *testing.T) {
	servers, more, err := decodePage([]byte(`{"servers": [
		{"id": "1", "name": "web-1", "status": "ACTIVE", "created": "2026-11-21T08:00:00Z", "hostId": "h", "locked": true,
		 "OS-EXT-AZ:availability_zone": "az-1:host-7", "image": {"id": "i", "links": []}, "metadata": {"stackpolicy_tainted": "yes"}, "tags": ["eu"],
		 "flavor": {"vcpus": 1}, "addresses": {"net": [{"addr": "10.0.0.1"}]}},
		{"id": "2", "name": "from-volume", "status": "BUILD", "image": "", "OS-EXT-AZ:availability_zone": null},
		{"id": "3", "status": "UNKNOWN", "created": "2026-11-20T08:00:00Z", "tenant_id": "p", "links": []}
		], "servers_links": [{"rel": "next", "href": "http://elsewhere/"}]}`))
	if err != nil || !more || len(servers) != 3 {
		t.Fatalf("got %+v, %t, %v", servers, more, err)
	}
	got := make([]Node, 3)
	for i := range servers {
		if got[i], err = servers[i].node("R", Keys{Tainted: "stackpolicy_tainted"}); err != nil {
			t.Fatal(err)
		}
	}
	day := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	want := []Node{
		{ID: "1", Name: "web-1", Region: "R", Zone: "az-1", Status: "ACTIVE", HostID: "h", CreatedAt: day, Profile: "i", Tainted: true, Protected: true},
		{ID: "2", Name: "from-volume", Region: "R", Status: "BUILD"},
		{ID: "3", Region: "R", Status: "UNKNOWN", CreatedAt: day.AddDate(0, 0, -1)},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("node %d\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
	if !servers[2].hidden || servers[1].hidden {
		t.Error("the third server, and only it, is in a cell that is down")
	}
}

// TestDecodePageRefuses: what is not a list of servers is no empty one.
func TestDecodePageRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                              "cannot be read",
		`{"servers": [{"id": "1"`:       "cannot be read",
		`{}`:                            "without a list of servers",
		`{"servers": null}`:             "without a list of servers",
		`{"error": {"code": 500}}`:      "without a list of servers",
		`{"servers": [{"name": "x"}]}`:  "without id or status",
		`{"servers": "none"}`:           "cannot be read",
		`[]`:                            "cannot be read",
		`{"servers": [{"id": 5}]}`:      "cannot be read",
		`{"servers": [], "servers": 1}`: "cannot be read",
	} {
		if servers, _, err := decodePage([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", text, servers, err, want)
		}
	}
}

func TestProfile(t *testing.T) {
	s := server{ID: "1", Status: "ACTIVE", Image: image{"i"}, Metadata: map[string]string{"built": "2026-11-21T10:00:00+02:00", "version": "v7"}}
	dated, _ := s.node("R", Keys{Profile: "built"})
	if want := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC); dated.ProfileCreatedAt != want || dated.Profile != "2026-11-21T10:00:00+02:00" {
		t.Errorf("got %+v", dated)
	}
	if named, _ := s.node("R", Keys{Profile: "version"}); named.Profile != "v7" || !named.ProfileCreatedAt.IsZero() {
		t.Errorf("got %+v", named)
	}
	if none, _ := s.node("R", Keys{Profile: "missing"}); none.Profile != "" {
		t.Errorf("got %+v", none)
	}
	s.Created = "yesterday"
	if _, err := s.node("R", Keys{}); err == nil || !strings.Contains(err.Error(), "server 1") {
		t.Errorf("got %v", err)
	}
}

func TestMarked(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "1": true, "yes": true, "by ann, see ticket 7": true,
		"": false, "0": false, "false": false, "False": false, "no": false, " off ": false} {
		if got := marked(map[string]string{"key": value}, "key"); got != want {
			t.Errorf("%q: got %t", value, got)
		}
	}
	if marked(map[string]string{"other": "true"}, "key") {
		t.Error("a missing key marks")
	}
}

func TestSort(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	nodes := []Node{
		{Region: "B", ID: "5", CreatedAt: day(1)},
		{Region: "A", ID: "4"},
		{Region: "A", ID: "3", CreatedAt: day(2)},
		{Region: "A", ID: "2", CreatedAt: day(2)},
		{Region: "A", ID: "1", CreatedAt: day(3)},
	}
	Sort(nodes)
	var got string
	for _, n := range nodes {
		got += n.ID
	}
	if got != "23145" {
		t.Errorf("got %s", got)
	}
}
