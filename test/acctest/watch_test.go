package acctest

import (
	"maps"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestWatched: the observer that other tests rely on sees each kind of loss. A cluster of two servers gets a further
// one that is in service too, is drained, or never gets into service.
func TestWatched(t *testing.T) {
	t.Parallel()
	server := func(id, status string, metadata map[string]string) fakecloud.Server {
		return fakecloud.Server{ID: id, Status: status, Metadata: metadata}
	}
	with := func(s fakecloud.Server, key, value string) fakecloud.Server {
		s.Metadata = maps.Clone(s.Metadata)
		s.Metadata[key] = value
		return s
	}
	a := server("a", "ACTIVE", map[string]string{openstack.MarkKey: "1"})
	b := server("b", "ACTIVE", map[string]string{openstack.MarkKey: "2"})
	drained := with(b, openstack.DrainedKey, "true")
	bare, down, going := server("b", "ACTIVE", nil), b, b
	down.Status, going.TaskState = "SHUTOFF", "deleting"
	type list = []fakecloud.Server
	for name, c := range map[string]struct {
		seen []list // lists one after the other; counted from the second on
		want Tally
	}{
		"nothing happens":                        {[]list{{a, b}, {a, b}}, Tally{Least: 2, Of: 2}},
		"one is stopped":                         {[]list{{a, b}, {a, down}}, Tally{Least: 1, Of: 2}},
		"somebody wipes a mark":                  {[]list{{a, b}, {a, bare}}, Tally{Least: 2, Of: 2}},
		"one is drained":                         {[]list{{a, b}, {a, drained}}, Tally{Least: 1, Of: 2}},
		"one serves only now":                    {[]list{{a, bare}, {a, b}, {a, down}}, Tally{Least: 1, Of: 2}},
		"one more comes":                         {[]list{{a, b}, {a, b, server("c", "ACTIVE", nil)}, {a, b}}, Tally{Least: 2, Of: 2}},
		"one that serves is destroyed":           {[]list{{a, b}, {a}}, Tally{Least: 1, Of: 2, Served: 1, Undrained: 1}},
		"Nova takes its time to destroy it":      {[]list{{a, b}, {a, going}}, Tally{Least: 1, Of: 2, Served: 1, Undrained: 1}},
		"it was stopped before":                  {[]list{{a, b}, {a, down}, {a}}, Tally{Least: 1, Of: 2, Served: 1, Undrained: 1}},
		"its mark was taken away before":         {[]list{{a, b}, {a, bare}, {a}}, Tally{Least: 1, Of: 2, Served: 1, Undrained: 1}},
		"one is drained and destroyed":           {[]list{{a, b}, {a, drained}, {a}}, Tally{Least: 1, Of: 2, Served: 1}},
		"one that never served is destroyed":     {[]list{{a, bare}, {a}}, Tally{Least: 1, Of: 1}},
		"one is rebuilt, and keeps the old mark": {[]list{{a, b}, {a, with(b, "version", "new")}}, Tally{Least: 1, Of: 2, Changed: 1}},
		"it is rebuilt and then gets another one": {[]list{{a, b}, {a, with(with(b, "version", "new"), openstack.MarkKey, "3")}},
			Tally{Least: 2, Of: 2, Changed: 1}},
		"there are never more than are wanted": {
			[]list{{a, b, server("c", "ACTIVE", map[string]string{openstack.MarkKey: "3"})}, {a, b}},
			Tally{Least: 2, Of: 2, Served: 1, Undrained: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &Watched{size: 2, servers: map[string]fakecloud.Server{}, marks: map[string][2]string{}, served: map[string]bool{}}
			w.see(c.seen[0])
			w.Restart()
			for _, servers := range c.seen[1:] {
				w.see(servers)
			}
			assert.Equal(t, c.want, w.Restart(), "counted")
		})
	}
}
