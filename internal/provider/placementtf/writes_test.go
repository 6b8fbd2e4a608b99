package placementtf_test

import (
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestPlacementWritesNothing: over a rollout, a bad template in the middle of it, and
// the way back, the attachment makes no request that changes something: it works by
// what it reads. Marks become invalid, and nobody has to remove them.
func TestPlacementWritesNothing(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"SUBSTITUTE", "IN_PLACE", "RECREATE"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			config := func(image string) protocol.Attributes {
				return zonal(4, "az-1 az-2", protocol.Attributes{"template": protocol.Attributes{"image": image},
					"update": protocol.Attributes{"causes": []any{"TEMPLATE", "UNHEALTHY"}, "max_batch_size": "2", "method": method}})
			}
			a := attach(t, config("a"))
			f := follower{attached: a, servers: map[string]followed{}}
			f.follow()
			applies := 0
			for _, step := range []struct {
				image string
				nodes int // that get it
			}{{"a", 4}, {"b", 4}, {"bad", 2}, {"b", 4}, {"a", 4}} {
				for range 4 {
					a.Look(t)
					a.Must(t, config(step.image))
					f.follow()
					applies++
				}
				if n := f.images()[step.image]; n != step.nodes {
					t.Errorf("after %s: %v", step.image, f.images())
				}
			}
			reads := 0
			for _, r := range a.Fake.Requests() {
				switch {
				case r.Method == http.MethodGet:
					reads++
				case r.Path != "/auth/tokens":
					t.Errorf("%s %s", r.Method, r.Path)
				}
			}
			if reads < applies {
				t.Errorf("%d requests were counted in %d applies", reads, applies)
			}
		})
	}
}

// follower makes the servers that an attachment wants, and marks them, as Terraform
// and a readiness attachment would. A server of a bad image never gets into service.
type follower struct {
	attached
	servers map[string]followed
}

type followed struct{ id, mark, generation string }

func (f *follower) follow() {
	nodes := protocol.Object(protocol.Object(f.I.State)["nodes"])
	for name, s := range f.servers {
		if _, stays := nodes[name]; !stays {
			f.Fake.RemoveServers("RegionOne", s.id)
			delete(f.servers, name)
		}
	}
	for name, value := range nodes {
		node := protocol.Object(value)
		is := followed{f.servers[name].id, protocol.Text(node["mark"]), node["generation"].String()}
		if is.id != "" && is.generation != f.servers[name].generation {
			f.Fake.RemoveServers("RegionOne", is.id)
			is.id = ""
		}
		if is.id == "" {
			is.id = f.server(name, protocol.Text(node["zone"]), 0, nil)
		}
		f.Fake.UpdateServer("RegionOne", is.id, func(s *fakecloud.Server) {
			if image := protocol.Text(protocol.Object(node["template"])["image"]); image != "bad" {
				s.Metadata = map[string]string{openstack.MarkKey: is.mark}
			}
		})
		f.servers[name] = is
	}
}

// images counts the nodes of each image.
func (f *follower) images() map[string]int {
	counts := map[string]int{}
	for _, value := range protocol.Object(protocol.Object(f.I.State)["nodes"]) {
		counts[protocol.Text(protocol.Object(protocol.Object(value)["template"])["image"])]++
	}
	return counts
}
