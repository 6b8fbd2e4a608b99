package fakecloud

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Server is a server as tests see and set it. A new server gets values for its empty fields: an id, the member as the
// owner, the image and the flavor of the cloud, ACTIVE, a zone and a host, the time.
type Server struct {
	ID          string
	Name        string
	Description string
	ProjectID   string
	UserID      string
	Status      string // status in Nova: ACTIVE, SHUTOFF, ERROR, BUILD, MIGRATING...
	TaskState   string // Nova's task state
	Zone        string
	Host        string // "-" means none, as for a server that was never scheduled
	ImageID     string
	Flavor      string
	Metadata    map[string]string
	Tags        []string
	Group       string // id of its server group
	Created     time.Time
	Fault       string // message of an ERROR
	LockedBy    string // "", owner or admin
	Stuck       bool   // reports whether stopping it fails
	Network     bool   // reports whether it has an address in the shared network
	Address     string // its address; "" means one in 10.9.0.0/16
}

// server is a server as the region keeps it.
type server struct {
	Server
	number   int
	host     *host // nil if it is not scheduled, or the host is gone
	vmState  string
	flavor   *Flavor
	group    *group
	ports    []*port // ports with which it was made; nil if Nova made its only one, or it has none
	updated  time.Time
	launched time.Time
	keyName  string
	rules    []string // security groups of its ports; nil for the default
	asked    string   // requested zone
	before   *shape   // shape before a resize that is not confirmed
	stops    []object // stop actions that Nova shows, newest first

	// The result of the work under way, and the time of its end.
	due     time.Time
	pending func(*region, *server)

	deleted    bool
	terminated time.Time
}

// shape is the part of a server that a resize changes.
type shape struct {
	flavor  *Flavor
	host    *host
	vmState string
}

// states are Nova's states of a machine, with their names depending on the task under way; "" is any other task.
var states = map[string]map[string]string{
	"active": {
		"": "ACTIVE", "rebooting": "REBOOT", "rebooting_hard": "HARD_REBOOT", "updating_password": "PASSWORD",
		"rebuilding": "REBUILD", "migrating": "MIGRATING", "resize_prep": "RESIZE", "resize_migrating": "RESIZE",
		"resize_migrated": "RESIZE", "resize_finish": "RESIZE",
	},
	"building": {"": "BUILD"},
	"stopped": {
		"":                 "SHUTOFF",
		"resize_prep":      "RESIZE",
		"resize_migrating": "RESIZE",
		"rebuilding":       "REBUILD",
	},
	"resized":           {"": "VERIFY_RESIZE", "resize_reverting": "REVERT_RESIZE"},
	"paused":            {"": "PAUSED", "migrating": "MIGRATING"},
	"suspended":         {"": "SUSPENDED"},
	"rescued":           {"": "RESCUE"},
	"error":             {"": "ERROR", "rebuilding": "REBUILD"},
	"deleted":           {"": "DELETED"},
	"soft-delete":       {"": "SOFT_DELETED"},
	"shelved":           {"": "SHELVED"},
	"shelved_offloaded": {"": "SHELVED_OFFLOADED"},
}

// status returns Nova's name for the state of the server.
func (s *server) status() string {
	if s.deleted {
		return "DELETED"
	}
	names := states[s.vmState]
	return cmp.Or(names[s.TaskState], names[""], "UNKNOWN")
}

// setStatus finds the state and the task of a status. If there are several states, the first by name is used, which
// for MIGRATING and REBUILD is active.
func (s *server) setStatus(status string) {
	for _, task := range []string{s.TaskState, "", "*"} {
		for _, vm := range slices.Sorted(maps.Keys(states)) {
			for _, t := range slices.Sorted(maps.Keys(states[vm])) {
				if states[vm][t] == status && (task == "*" || t == task) {
					if s.vmState = vm; task == "*" {
						s.TaskState = t
					}
					return
				}
			}
		}
	}
	panic(fmt.Sprintf("fakecloud: Nova has no status %q", status))
}

// powerState is 0 for no state, 1 for running and 4 for shut down.
func (s *server) powerState() int {
	switch {
	case s.launched.IsZero() || s.deleted:
		return 0
	case s.vmState == "stopped" || s.vmState == "shelved_offloaded":
		return 4
	}
	return 1
}

// waiting reports whether the server is not in its final state yet.
func (s *server) waiting() bool { return s.pending != nil }

// shownZone is the zone in the API: the requested zone as long as the server is not scheduled. A server that left its
// host has none.
func (s *server) shownZone() string {
	if s.vmState == "shelved_offloaded" {
		return ""
	}
	if s.scheduled() {
		return s.Zone
	}
	return s.asked
}

// scheduled reports whether the API shows the host.
func (s *server) scheduled() bool { return s.vmState != "building" && s.Host != "" }

// store keeps the servers of a region by id and by age.
type store struct {
	byID    map[string]*server // also deleted ones, whose ids are valid markers
	byAge   []*server          // servers that are not deleted, in the order of older
	sorted  bool
	pending map[*server]bool
	count   int
}

func newStore() store {
	return store{byID: map[string]*server{}, pending: map[*server]bool{}, sorted: true}
}

// older orders servers by age, and by id if they have the same age. Nova lists them in the opposite order.
func older(a, b *server) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(b.ID, a.ID))
}

func (s *store) add(v *server) {
	s.count++
	v.number = s.count
	s.byID[v.ID] = v
	if n := len(s.byAge); n > 0 && older(s.byAge[n-1], v) > 0 {
		s.sorted = false
	}
	s.byAge = append(s.byAge, v)
}

// bury removes deleted servers from the lists.
func (s *store) bury(gone ...*server) {
	for _, v := range gone {
		delete(s.pending, v)
	}
	if len(gone) == 1 {
		s.sort()
		i, ok := slices.BinarySearchFunc(s.byAge, gone[0], older)
		if ok {
			s.byAge = slices.Delete(s.byAge, i, i+1)
		}
		return
	}
	s.byAge = slices.DeleteFunc(s.byAge, func(v *server) bool { return v.deleted })
}

func (s *store) sort() {
	if !s.sorted {
		slices.SortFunc(s.byAge, older)
		s.sorted = true
	}
}

// oldest iterates over the servers, the oldest first.
func (s *store) oldest() iter.Seq[*server] {
	s.sort()
	return slices.Values(s.byAge)
}

// newestAfter iterates over the servers, the newest first; with a marker it starts after the server with that id.
func (s *store) newestAfter(marker *server) iter.Seq[*server] {
	s.sort()
	end := len(s.byAge)
	if marker != nil {
		end, _ = slices.BinarySearchFunc(s.byAge, marker, older)
	}
	return func(yield func(*server) bool) {
		for i := end - 1; i >= 0; i-- {
			if !yield(s.byAge[i]) {
				return
			}
		}
	}
}

// settle ends work that is due, before any look at the region.
func (r *region) settle(c *Cloud) {
	if len(r.servers.pending) == 0 {
		return
	}
	now := c.time()
	due := slices.SortedFunc(maps.Keys(r.servers.pending), func(a, b *server) int {
		return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.number, b.number))
	})
	for _, s := range due {
		if !s.due.After(now) {
			done := s.pending
			s.pending = nil
			delete(r.servers.pending, s)
			done(r, s)
		}
	}
}

// later changes a server after a while.
func (r *region) later(c *Cloud, s *server, d time.Duration, done func(*region, *server)) {
	s.due, s.pending = c.time().Add(d), done
	r.servers.pending[s] = true
}
