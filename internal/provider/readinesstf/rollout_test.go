package readinesstf_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// behindReadiness is a cluster of six whose new templates come in batches of two,
// each of which must be in service before the next begins. Servers of a version
// that begins with "bad" never get there.
type behindReadiness struct {
	acctest.Loop
	url string
}

func (b behindReadiness) config(t *testing.T, version string) string {
	region, timeout := b.Cloud.Regions(t)[0], ""
	if strings.HasPrefix(version, "bad") {
		timeout = "timeout = 2" // none of those that are checked gets ready
	}
	return fmt.Sprintf(`
resource "stackpolicy_placement_attachment" "web" {
  cluster           = %[1]q
  node_name_pattern = "{cluster}{index}"
  desired_capacity  = 6
  regions           = %[2]s
  template          = { version = %[3]q }
  update {
    causes             = ["TEMPLATE", "UNHEALTHY"]
    max_batch_size     = 2
    require_in_service = true
  }
}
resource "nova_server" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = %[4]q
  flavor_id         = %[5]q
  metadata          = { version = each.value.template.version }
  lifecycle {
    create_before_destroy = true
  }
}
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = nova_server.web
  server_id = each.value.id
  region    = each.value.region
  shutdown  = true
  lifecycle {
    create_before_destroy = true
  }
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %[1]q
  servers = { for name, node in stackpolicy_deletion_attachment.web : name => {
    id = node.server_id, region = node.region, mark = stackpolicy_placement_attachment.web.nodes[name].mark } }
  %[7]s
  http {
    url = "%[6]s/{name}"
  }
}
`, b.Cloud.Prefix, acctest.Places(region+": "+strings.Join(b.Cloud.Zones(t, region), " ")), version, b.Cloud.Image, b.Cloud.Flavor, b.url, timeout)
}

// holds fails unless the servers are so many of each version, and so many of
// them in service: "a:6/6 bad:2/0".
func (b behindReadiness) holds(t *testing.T, step, want string) {
	t.Helper()
	all, marked, stopped := map[string]int{}, map[string]int{}, 0
	for _, s := range b.Cloud.Servers(t) {
		all[s.Metadata["version"]]++
		if s.Metadata[openstack.MarkKey] != "" {
			marked[s.Metadata["version"]]++
		}
		if s.Status != "ACTIVE" {
			stopped++
		}
	}
	var list []string
	for _, version := range slices.Sorted(maps.Keys(all)) {
		list = append(list, fmt.Sprintf("%s:%d/%d", version, all[version], marked[version]))
	}
	if got := strings.Join(list, " "); got != want || stopped > 0 {
		t.Errorf("%s: the servers are %s, %d of them stopped, want %s", step, got, stopped, want)
	}
}

// TestAccReadinessRollout: a template with which no server gets ready, applied
// five times in a row, takes one batch and no more, and no node in service is
// touched. Then a good template replaces exactly the bad nodes first, and the
// cluster comes out whole; so it does where the old template comes back.
func TestAccReadinessRollout(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/"+c.Prefix)
		if s, there := c.Servers(t)[name]; !there || strings.HasPrefix(s.Metadata["version"], "bad") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	b := behindReadiness{acctest.Loop{Cloud: c}, health.URL}
	b.Workspace = c.Workspace(t, b.config(t, "a"))
	apply := func(step, version, want string, fails bool) {
		t.Helper()
		if err := b.Write(b.config(t, version)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Apply(t.Context()); (err != nil) != fails || (fails && !acctest.Says("2 of 2 servers that this apply checked are not in service").MatchString(err.Error())) {
			t.Fatalf("%s: %v", step, err)
		}
		b.holds(t, step, want)
	}
	apply("create", "a", "a:6/6", false)
	apply("a bad template", "bad1", "a:6/6 bad1:2/0", true)
	ids := slices.Sorted(slices.Values(b.IDs(t)))
	for i := range 4 {
		apply(fmt.Sprintf("again, %d", i), "bad1", "a:6/6 bad1:2/0", true)
		if again := slices.Sorted(slices.Values(b.IDs(t))); !slices.Equal(ids, again) {
			t.Fatalf("the servers are no longer the same: %v, were %v", again, ids)
		}
	}
	// Another one that is bad replaces those that are, and no other.
	apply("a worse template", "bad2", "a:6/6 bad1:2/0 bad2:2/0", true)
	apply("a good template", "b", "a:4/4 b:2/2", false)
	apply("the second batch", "b", "a:2/2 b:4/4", false)
	apply("a bad template in the middle", "bad3", "a:2/2 b:4/4 bad3:2/0", true)
	apply("the one before comes back", "b", "a:2/2 b:4/4", false)
	for i := 0; len(b.Cloud.Servers(t)) != 6 || i < 3; i++ {
		if text, err := b.Run(t.Context(), "plan", "-no-color", "-detailed-exitcode"); err == nil {
			break
		} else if i == 3 {
			t.Fatalf("the plan does not get empty: %v\n%s", err, text)
		}
		if _, err := b.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	b.holds(t, "in the end", "b:6/6")
	b.Settled(t, "in the end")
}
