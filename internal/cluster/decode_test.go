package cluster

import (
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decodePage reads a page into a list.
func decodePage(text string) (servers []server, more bool, err error) {
	more, err = readPage([]byte(text), func(s *server) error {
		servers = append(servers, *s)
		return nil
	})
	return servers, more, err
}

func TestDecodePage(t *testing.T) {
	servers, more, err := decodePage(`{"servers": [
		{"id": "1", "name": "web-1", "status": "ACTIVE", "created": "2026-11-21T08:00:00Z", "hostId": "h", "locked": true,
		 "OS-SRV-USG:launched_at": "2026-11-21T08:01:30.500000",
		 "OS-EXT-AZ:availability_zone": "az-1:host-7", "image": {"id": "i", "links": []},
		 "metadata": {"stackpolicy_tainted": "yes", "stackpolicy_in_service": "7", "stackpolicy_in_service_at": "2026-11-21T08:01:00Z", "other": "x"},
		 "tags": ["eu"], "flavor": {"vcpus": 1}, "addresses": {"net": [{"addr": "10.0.0.1"}]}},
		{"id": "2", "name": "from-volume", "status": "ERROR", "OS-SRV-USG:launched_at": null,
		 "metadata": {"stackpolicy_in_service_at": "yesterday", "stackpolicy_not_in_service_at": "3-1f 2026-11-21T09:00:00+01:00"},
		 "fault": {"code": 500, "message": "No valid host was found."}, "image": "", "OS-EXT-AZ:availability_zone": null},
		{"id": "3", "status": "UNKNOWN", "created": "2026-11-20T08:00:00Z", "tenant_id": "p", "links": []}
		], "servers_links": [{"rel": "next", "href": "http://elsewhere/"}]}`)
	if err != nil || !more || len(servers) != 3 {
		t.Fatalf("got %+v, %t, %v", servers, more, err)
	}
	day := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	got := make([]node.Node, 3)
	for i := range servers {
		got[i], err = servers[i].node("R", day.Add(time.Hour))
		require.NoError(t, err)
	}
	want := []node.Node{
		{ID: "1", Name: "web-1", Region: "R", Zone: "az-1", Status: "ACTIVE", HostID: "h",
			CreatedAt: day, LaunchedAt: day.Add(90*time.Second + 500*time.Millisecond), SeenAt: day.Add(time.Hour), InServiceAt: day.Add(time.Minute),
			Profile: "i", Tainted: true, Protected: true, Locked: true, InService: "7"},
		{ID: "2", Name: "from-volume", Region: "R", Status: "ERROR", SeenAt: day.Add(time.Hour), NotInService: "3-1f", NotInServiceAt: day,
			Unmade: true, Fault: "No valid host was found."},
		{ID: "3", Region: "R", Status: "UNKNOWN", SeenAt: day.Add(time.Hour), CreatedAt: day.AddDate(0, 0, -1)},
	}
	for i := range want {
		assert.NotEmpty(t, got[i].Build, "node %d has no fingerprint", i)
		want[i].Build = got[i].Build // see TestBuild
		assert.Equal(t, want[i], got[i], "node %d", i)
	}
	assert.Equal(t, []bool{false, true}, []bool{servers[1].hidden, servers[2].hidden}, "in a cell that is down")
	if !slices.Equal(servers[0].Tags, []string{"eu"}) || len(servers[0].Metadata) != 4 || len(servers[1].Tags) != 0 {
		t.Errorf("got %+v", servers)
	}
}

// TestDecodePageRefuses: anything other than a list of servers is an error, and never an empty list.
func TestDecodePageRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                             "cannot be read",
		`{"servers": [{"id": "1"`:      "cannot be read",
		`{}`:                           "without a list of servers",
		`null`:                         "without a list of servers",
		`{"servers": null}`:            "without a list of servers",
		`{"error": {"code": 500}}`:     "without a list of servers",
		`{"servers": [{"name": "x"}]}`: "without id or status",
		`{"servers": [null]}`:          "without id or status",
		`{"servers": "none"}`:          "cannot be read",
		`[]`:                           "cannot be read",
		`{"servers": [{"id": 5}]}`:     "cannot be read",
		`{"servers": []} {}`:           "after top-level value",
		`{"servers": []}]`:             "cannot be read",
		`{"servers": [{"id": "1", "status": "ACTIVE", "addresses": {"net": [}}]}`: "cannot be read",
		`{"servers": [{"id": "1", "status": "ACTIVE", "locked": "no"}]}`:          "server.locked of type bool",
	} {
		_, _, err := decodePage(text)
		assert.ErrorContains(t, err, want, text)
	}
}

// TestDecodeTruncated: a page that breaks off anywhere is an error, and never a shorter page.
func TestDecodeTruncated(t *testing.T) {
	page := string(novaPage(2, ""))
	for n := range page {
		_, _, err := decodePage(page[:n])
		require.Error(t, err, "broken off after %d bytes", n)
	}
}

// TestDecodeKeepsLittle: the memory for a page depends on the servers that are kept, and not on the length of the
// page.
func TestDecodeKeepsLittle(t *testing.T) {
	page := novaPage(1000, "")
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, want := range map[string]struct{ nodes, bytes int64 }{"^web-": {10_000, 10_000 * 700}, "^db-": {0, 100_000}} {
		match, err := Selector{NameRegex: name}.compile()
		require.NoError(t, err)
		before, kept := heap(), part{}
		for range 10 {
			_, err := readPage(page, func(s *server) error { return kept.add(s, time.Time{}, *match, Query{}) })
			require.NoError(t, err)
		}
		assert.LessOrEqual(t, heap()-before, want.bytes, "%s: bytes", name)
		assert.Len(t, kept.nodes, int(want.nodes), name)
		runtime.KeepAlive(kept)
	}
	allocs := testing.AllocsPerRun(5, func() { _, _ = readPage(page, func(*server) error { return nil }) })
	assert.LessOrEqual(t, allocs, 40_000.0, "allocations")
}

// TestBuild: a rebuild, a resize or another server changes the fingerprint, and nothing else does.
func TestBuild(t *testing.T) {
	build := func(change func(*server)) string {
		s := server{ID: "1", Name: "web-1", Status: "ACTIVE", Launched: "2026-11-21T08:00:00", Image: image{"i"}}
		s.Flavor.Name = "small"
		change(&s)
		n, err := s.node("R", time.Time{})
		require.NoError(t, err)
		return n.Build
	}
	same := build(func(*server) {})
	for name, change := range map[string]func(*server){
		"another server": func(s *server) { s.ID = "2" },
		"image":          func(s *server) { s.Image.ID = "j" },
		"flavor":         func(s *server) { s.Flavor.Name = "large" },
		"launch":         func(s *server) { s.Launched = "2026-11-21T08:00:01" },
	} {
		assert.NotEqual(t, same, build(change), "%s makes no difference", name)
	}
	other := func(s *server) { s.Status, s.Name, s.Metadata = "SHUTOFF", "x", map[string]string{"a": "b"} }
	assert.Equal(t, same, build(other), "status, name and metadata make a difference")
}

func TestMarked(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "1": true, "yes": true, "by ann, see ticket 7": true,
		"": false, "0": false, "false": false, "False": false, "no": false, " off ": false} {
		assert.Equal(t, want, marked(map[string]string{"key": value}, "key"), value)
	}
	assert.False(t, marked(map[string]string{"other": "true"}, "key"), "a missing key marks")
}

func TestSort(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	nodes := []node.Node{
		{Region: "B", ID: "5", CreatedAt: day(1)},
		{Region: "A", ID: "4"},
		{Region: "A", ID: "3", CreatedAt: day(2)},
		{Region: "A", ID: "2", CreatedAt: day(2)},
		{Region: "A", ID: "1", CreatedAt: day(3)},
	}
	node.Sort(nodes)
	var got string
	for _, n := range nodes {
		got += n.ID
	}
	assert.Equal(t, "23145", got)
}

// aServer is a server with all fields of Nova's microversion 2.96, as an admin gets it.
//
//go:embed testdata/server.json
var aServer string

const aFault = ` "fault": {"code": 500, "created": "2026-11-20T09:21:12Z", "message": "No valid host was found.", "details": "Traceback (most recent call ` +
	`last):\n  File \"nova/conductor/manager.py\", line 703, in build_instances\n"},`

// novaPage is a page of n servers of a large cluster, as Nova writes it. One in a hundred is broken.
func novaPage(n int, next string) []byte {
	var b strings.Builder
	b.WriteString(`{"servers": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		status, fault := "ACTIVE", ""
		if i%100 == 1 {
			status, fault = "ERROR", aFault
		}
		created := time.Date(2026, 11, 1, 0, 0, 7*i, 0, time.UTC)
		_, _ = strings.NewReplacer("<ID>", fmt.Sprintf("%08x-31e7-49b7-b260-%012x", uint32(i)*2654435761, i), "<N>", fmt.Sprint(i),
			"<STATUS>", status, "<FAULT>", fault, "<CREATED>", created.Format(time.RFC3339),
			"<HOST>", fmt.Sprintf("%08x", i%300), "<ZONE>", fmt.Sprint(1+i%3)).WriteString(&b, strings.TrimSpace(aServer))
	}
	b.WriteString("]")
	if next != "" {
		fmt.Fprintf(&b, `, "servers_links": [{"rel": "next", "href": "https://nova.example.com/v2.1/servers/detail?marker=%s"}]`, next)
	}
	b.WriteString("}")
	return []byte(b.String())
}
