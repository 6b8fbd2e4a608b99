package acctest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// Watched counts what happens to the servers of a cluster, as the cloud sees it with each request. A server is in
// service while it is ACTIVE, is not drained, and its image and flavor are the ones with which it got its mark. Later
// changes of its mark do not count.
type Watched struct {
	mu      sync.Mutex
	size    int                           // wanted capacity
	lists   map[string][]fakecloud.Server // by region
	servers map[string]fakecloud.Server
	marks   map[string][2]string // mark, and the build of the server when it got it, by id
	served  map[string]bool      // by id
	Tally
	reached int // maximum number of servers in service so far, at most the size
}

// Tally has the counts since a [Watched.Restart].
type Tally struct {
	Least, Of int // servers in service when most were missing, and how many there had been
	Served    int // destroyed servers that had been in service
	Undrained int // destroyed servers that had been in service and were not drained
	Changed   int // servers that had been in service and were changed in place
}

// Watch begins to watch a region, and more of them. It returns nil for a real cloud, which cannot be watched.
func (c *Cloud) Watch(t testing.TB, region string, size int, more ...string) *Watched {
	t.Helper()
	if c.Fake == nil {
		return nil
	}
	w := &Watched{
		size:    size,
		lists:   map[string][]fakecloud.Server{},
		servers: map[string]fakecloud.Server{},
		marks:   map[string][2]string{},
		served:  map[string]bool{},
	}
	for _, region := range append(more, region) {
		c.Fake.Watch(region, func(list []fakecloud.Server) { w.see(w.join(region, list)) })
	}
	return w
}

// Resize sets the wanted capacity from now on.
func (w *Watched) Resize(size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.size, w.reached = size, min(size, w.reached)
}

// Restart returns the counts, and starts again from zero.
func (w *Watched) Restart() Tally {
	w.mu.Lock()
	defer w.mu.Unlock()
	tally := w.Tally
	w.Tally = Tally{Least: w.reached, Of: w.reached}
	return tally
}

// join returns the servers of all regions, after one region was listed.
func (w *Watched) join(region string, list []fakecloud.Server) []fakecloud.Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists[region] = list
	return slices.Concat(slices.Collect(maps.Values(w.lists))...)
}

func (w *Watched) see(list []fakecloud.Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, serving := map[string]fakecloud.Server{}, 0
	for _, s := range list {
		if s.TaskState == "deleting" || s.Status == "DELETED" {
			continue
		}
		now[s.ID] = s
		mark, is := s.Metadata[openstack.MarkKey], build(s)
		if was := build(w.servers[s.ID]); w.served[s.ID] && was == w.marks[s.ID][1] && was != is {
			w.Changed++
		}
		if mark != "" && mark != w.marks[s.ID][0] {
			w.marks[s.ID] = [2]string{mark, is}
		}
		serves := s.Status == "ACTIVE" && s.Metadata[openstack.DrainedKey] == ""
		if marked := w.marks[s.ID]; marked[0] != "" && marked[1] == is && serves {
			w.served[s.ID] = true
			serving++
		}
	}
	for id, s := range w.servers {
		if _, there := now[id]; there {
			continue
		}
		if w.served[id] {
			w.Served++
			if s.Metadata[openstack.DrainedKey] == "" {
				w.Undrained++
			}
		}
	}
	w.servers = now
	w.reached = max(w.reached, min(w.size, serving))
	if w.reached-serving > w.Of-w.Least {
		w.Least, w.Of = serving, w.reached
	}
}

// build returns a fingerprint of a server's image, flavor and version.
func build(s fakecloud.Server) string { return fmt.Sprint(s.ImageID, s.Flavor, s.Metadata["version"]) }
