package deletiontf_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inPlace is a cluster of four nodes that Terraform changes in place, after a drain of each.
func inPlace(c *acctest.Cloud, places, image, url string) string {
	return acctest.Placement(c, 4, places, fmt.Sprintf(`template = { image = %q }
  update {
    causes         = ["TEMPLATE"]
    method         = "IN_PLACE"
    max_batch_size = 2
  }`, image)) + acctest.Servers(fmt.Sprintf(`image_id          = each.value.template.image
  flavor_id         = %q
  network_mode      = "none"
  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.stackpolicy_drain.web]
    }
  }`, c.Flavor)) + fmt.Sprintf(`
action "stackpolicy_drain" "web" {
  config {
    server_id = caller.id
    region    = caller.region
    node_name = caller.name
    hook {
      type           = "webhook"
      url            = %q
      default_result = "ABANDON"
    }
  }
}
resource "stackpolicy_readiness_attachment" "web" {
  cluster = %q
  servers = { for name, server in openstack_compute_instance_v2.web : name => {
    id     = server.id
    region = server.region
    mark   = stackpolicy_placement_attachment.web.nodes[name].mark
  } }
}
`, url, c.Prefix)
}

// refusing is a consumer that refuses one message.
type refusing struct {
	mu     sync.Mutex
	refuse bool           // whether it refuses the next message
	drains map[string]int // number of drains, by the name of the node
}

func (r *refusing) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var message map[string]string
	if err := json.NewDecoder(req.Body).Decode(&message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drains[message["node_name"]]++
	if r.refuse {
		r.refuse = false
		w.WriteHeader(http.StatusForbidden)
	}
}

// taken returns how often each node was drained since the last call, sorted.
func (r *refusing) taken() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := slices.Sorted(maps.Values(r.drains))
	r.drains = map[string]int{}
	return counts
}

// rebuilt counts the servers that get another image, and how many of them were not drained.
type rebuilt struct {
	images           map[string]string
	count, undrained int
}

func (r *rebuilt) see(list []fakecloud.Server) {
	for _, s := range list {
		if was := r.images[s.ID]; was != "" && was != s.ImageID {
			r.count++
			if s.Metadata[openstack.DrainedKey] == "" || s.Metadata[openstack.MarkKey] != "" {
				r.undrained++
			}
		}
		r.images[s.ID] = s.ImageID
	}
}

// TestDrainActionInPlace: a cluster gets three images in place, one after the other. Each server is
// drained before it is rebuilt and marked afterwards, and never more than a batch is out of service,
// even if the hook refuses once. Then a node is drained by hand, and the next apply marks it again.
func TestDrainActionInPlace(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	if minor := acctest.TerraformMinor(t); minor < 16 {
		t.Skipf("needs Terraform 1.16 for before_update, this is 1.%d", minor)
	}
	region := c.Regions(t)[0]
	places := acctest.Places(region + ": " + c.Zones(t, region)[0])
	consumer := &refusing{drains: map[string]int{}}
	server := httptest.NewServer(consumer)
	t.Cleanup(server.Close)
	watched, changed := c.Watch(t, region, 4), &rebuilt{images: map[string]string{}}
	c.Fake.Watch(region, changed.see)
	images := []string{c.Image, c.Fake.AddImage(fakecloud.Image{Name: "second"}), c.Fake.AddImage(fakecloud.Image{Name: "third"})}
	w := c.Workspace(t, inPlace(c, places, images[0], server.URL))
	acctest.Apply(t, w)
	for i, image := range images[1:] {
		require.NoError(t, w.Write(inPlace(c, places, image, server.URL)))
		watched.Restart()
		consumer.refuse = i == 1
		applies, refused := 0, 0
		for ; applies < 8; applies++ {
			if _, err := w.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode"); err == nil {
				break
			}
			text, err := w.Apply(t.Context())
			switch {
			case err != nil && i == 1 && acctest.Says("A lifecycle hook did not complete").MatchString(err.Error()):
				refused++
			case err != nil:
				t.Fatal(err)
			case !strings.Contains(text, ": running the hook"):
				t.Errorf("the apply tells nothing of the hook:\n%s", text)
			}
		}
		assert.Equal(t, []int{1, 1, 1, 1 + refused}, consumer.taken(), "image %d: how often nodes were drained", i+1)
		if tally := watched.Restart(); applies != 2+refused || refused != i || tally.Least < 2 || tally.Of != 4 || tally.Destroyed > 0 {
			t.Errorf("image %d: %d applies, %d refused, at least %d of %d in service, %d destroyed", i+1, applies, refused, tally.Least,
				tally.Of, tally.Destroyed)
		}
	}
	assert.Equal(t, 8, changed.count, "servers that were rebuilt")
	assert.Zero(t, changed.undrained, "servers that were rebuilt undrained")

	node := slices.Sorted(maps.Keys(c.Servers(t)))[0]
	text := acctest.Must(t, w, "apply", "-auto-approve", "-input=false", "-no-color", "-invoke=action.stackpolicy_drain.web",
		fmt.Sprintf("-target=openstack_compute_instance_v2.web[%q]", c.Prefix+node))
	out := func() (out []string) {
		for name, s := range c.Servers(t) {
			if s.Metadata[openstack.MarkKey] == "" || s.Metadata[openstack.DrainedKey] != "" {
				out = append(out, name)
			}
		}
		return out
	}
	assert.Equal(t, []string{node}, out(), "out of service\n%s", text)
	acctest.Apply(t, w)
	assert.Empty(t, out(), "still out of service")
}
