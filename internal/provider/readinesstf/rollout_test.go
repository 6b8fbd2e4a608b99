package readinesstf_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/require"
)

// behindReadiness is a cluster of six whose new templates come in batches of two,
// each of which must be in service before the next begins. Servers of a version
// that begins with "bad" never get there.
type behindReadiness struct {
	acctest.Loop
	url       string
	size      int
	target    string   // "": all
	batch     string   // "": 2
	flavor    string   // in the template; "": it is no part of it
	more      string   // of the update block
	ignore    string   // of the servers' lifecycle
	sick      sync.Map // names of nodes that never get into service
	timeout   string   // of the readiness attachment
	installed bool     // terraform starts the providers
	zones     []string
	watched   *acctest.Watched
	applies   int
}

func (b *behindReadiness) config(t *testing.T, version string) string {
	region, timeout, template, update := b.Cloud.Regions(t)[0], b.timeout, "", ""
	switch {
	case strings.HasPrefix(version, "bad") && timeout == "":
		timeout = "timeout = 2" // none of those that are checked gets ready
	case isSick(&b.sick):
		timeout = givenUp()
	}
	if version != "" {
		template = fmt.Sprintf("version = %q", version)
		update = fmt.Sprintf(`update {
    causes             = ["TEMPLATE", "UNHEALTHY"]
    max_batch_size     = %s
    require_in_service = true
    target             = %q
    %s
  }`, cmp.Or(b.batch, "2"), cmp.Or(b.target, "100%"), b.more)
	}
	if b.flavor != "" {
		template += fmt.Sprintf(", flavor = %q", b.flavor)
	}
	if template != "" {
		template = "template = { " + template + " }"
	}
	return acctest.Placement(b.Cloud, b.size, acctest.Places(region+": "+strings.Join(b.zones, " ")), template+"\n  "+update) + acctest.Servers(fmt.Sprintf(`
  image_id     = %q
  flavor_id    = lookup(each.value.template, "flavor", %q)
  network_mode = "none"
  metadata     = { version = lookup(each.value.template, "version", "a") } # an imported node may have none
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [%s]
  }`, b.Cloud.Image, b.Cloud.Flavor, b.ignore)) + acctest.Drained("shutdown = true\n  "+acctest.First) +
		acctest.Awaited(b.Cloud, fmt.Sprintf("%s\n  http {\n    url = \"%s/{name}\"\n  }", timeout, b.url))
}

// isSick reports whether there is a node that never gets into service.
func isSick(names *sync.Map) (found bool) {
	names.Range(func(_, _ any) bool {
		found = true
		return false
	})
	return found
}

// holds fails unless the servers are so many of each version, and so many of
// them in service: "a:6/6 bad:2/0".
func (b *behindReadiness) holds(t *testing.T, step, want string) {
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

// behind starts a cluster of six of version a, and watches it.
func behind(t *testing.T) *behindReadiness {
	t.Helper()
	b := &behindReadiness{}
	b.start(t, acctest.New(t, fakecloud.Config{TokenTTL: 365 * 24 * time.Hour}), "a")
	return b
}

// start starts a cluster of six of a version; without one it has no template.
func (b *behindReadiness) start(t *testing.T, c *acctest.Cloud, version string) {
	t.Helper()
	health := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/"+c.Prefix)
		_, sick := b.sick.Load(name)
		if s, there := c.Servers(t)[name]; !there || sick || strings.HasPrefix(s.Metadata["version"], "bad") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(health.Close)
	region := c.Regions(t)[0]
	b.Cloud, b.url, b.size, b.zones = c, health.URL, 6, c.Zones(t, region)
	if b.watched = c.Watch(t, region, b.size); b.installed {
		b.Workspace = c.Installed(t, b.config(t, version))
	} else {
		b.Workspace = c.Workspace(t, b.config(t, version))
	}
	b.apply(t, "create", version, "a:6/6", "")
	b.applies = 0
	if b.watched != nil {
		b.watched.Restart()
	}
}

// apply applies a version, and holds the servers to what is expected. Where it fails
// it says how many servers did not get into service.
func (b *behindReadiness) apply(t *testing.T, step, version, want, fails string) {
	t.Helper()
	b.write(t, version)
	b.applies++
	_, err := b.Apply(t.Context())
	if (err != nil) != (fails != "") || err != nil && !acctest.Says(fails+" servers that this apply checked are not in service").MatchString(err.Error()) {
		t.Fatalf("%s: %v", step, err)
	}
	b.holds(t, step, want)
}

// TestAccReadinessRollout: a template with which no server gets ready, applied
// five times in a row, takes one batch and no more, and no node in service is
// touched. Then another template is given to exactly the bad nodes first, under their
// own names, and the cluster comes out whole.
func TestAccReadinessRollout(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.apply(t, "a bad template", "bad1", "a:6/6 bad1:2/0", "2 of 2")
	ids := slices.Sorted(slices.Values(b.IDs(t)))
	for i := range 4 {
		b.apply(t, fmt.Sprintf("again, %d", i), "bad1", "a:6/6 bad1:2/0", "2 of 2")
		if again := slices.Sorted(slices.Values(b.IDs(t))); !slices.Equal(ids, again) {
			t.Fatalf("the servers are no longer the same: %v, were %v", again, ids)
		}
	}
	b.apply(t, "a worse template", "bad2", "a:6/6 bad2:2/0", "2 of 2")
	b.apply(t, "a good template", "b", "a:4/4 b:2/2", "")
	b.apply(t, "the second batch", "b", "a:2/2 b:4/4", "")
	b.apply(t, "a bad template in the middle", "bad3", "a:2/2 b:4/4 bad3:2/0", "2 of 2")
	b.apply(t, "the one before comes back", "b", "a:2/2 b:4/4", "")
	b.apply(t, "the last batch", "b", "b:6/6", "")
	b.counted(t, "a bad image five times, a worse one, a good one, a bad one in the middle of it, the good one again")
}

// TestAccReadinessRollback: the template of before, given again after a bad batch,
// brings back the nodes that were leaving: no server is made, which the quota would
// refuse, because it has room for the cluster and one batch; and none that served is
// destroyed.
func TestAccReadinessRollback(t *testing.T) { // not in parallel: servers of other tests would need the same room
	b := behind(t)
	first := slices.Sorted(slices.Values(b.IDs(t)))
	b.Cloud.Room(t, b.Cloud.Regions(t)[0], 2)
	b.apply(t, "a bad template", "bad1", "a:6/6 bad1:2/0", "2 of 2")
	text, err := b.plan(t, "a")
	if err != nil || !acctest.Says("0 to add, 2 to change, 4 to destroy").MatchString(text) || !strings.Contains(text, "returned") {
		t.Errorf("the plan of the rollback: %v\n%s", err, text)
	}
	b.apply(t, "taken back", "a", "a:6/6", "")
	if ids := slices.Sorted(slices.Values(b.IDs(t))); !slices.Equal(ids, first) {
		t.Errorf("the servers are no longer the first ones: %v, were %v", ids, first)
	}
	b.counted(t, "a bad image with a quota for the cluster and one batch, then the old image")
}

// TestAccReadinessFix: a growth with a bad template is repaired by one apply: all
// servers that never served are changed where they are. The others follow in batches.
func TestAccReadinessFix(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.size = 14
	b.apply(t, "a growth with a bad template", "bad1", "a:6/6 bad1:10/0", "10 of 10")
	b.apply(t, "a good template", "b", "a:4/4 b:10/10", "")
	b.apply(t, "the second batch", "b", "a:2/2 b:12/12", "")
	b.apply(t, "the last", "b", "b:14/14", "")
	b.counted(t, "growth from 6 to 14 with a bad image, then a good one")
}

// TestAccReadinessCanary: a growth keeps the share of a canary, and the template of
// before takes it back, whatever the target says.
func TestAccReadinessCanary(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.target = "34%" // two of six, rounded up three
	b.apply(t, "a canary", "b", "a:4/4 b:2/2", "")
	b.apply(t, "all of it", "b", "a:3/3 b:3/3", "")
	b.size = 12
	b.apply(t, "a growth", "b", "a:7/7 b:5/5", "")
	b.apply(t, "taken back", "a", "a:9/9 b:3/3", "")
	b.apply(t, "the rest", "a", "a:11/11 b:1/1", "")
	b.apply(t, "the last", "a", "a:12/12", "")
	b.counted(t, "a canary of a third, growth from 6 to 12, then the old image with the same target")
}

// TestAccReadinessImport: an attachment that is imported in the middle of a rollout
// knows by their marks which nodes have the new template: no server is touched, and
// the next batches replace the others.
func TestAccReadinessImport(t *testing.T) {
	t.Parallel()
	b := behind(t)
	b.apply(t, "the first batch", "b", "a:4/4 b:2/2", "")
	const address = "stackpolicy_placement_attachment.web"
	for _, args := range [][]string{{"state", "rm", address}, {"import", "-input=false", "-no-color", address, b.Cloud.Prefix + "/{cluster}{index}"}} {
		if _, err := b.Run(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	ids := slices.Sorted(slices.Values(b.IDs(t)))
	b.apply(t, "the apply after the import", "b", "a:4/4 b:2/2", "")
	if after := slices.Sorted(slices.Values(b.IDs(t))); !slices.Equal(ids, after) {
		t.Errorf("the servers are no longer the same: %v, were %v", after, ids)
	}
	b.apply(t, "the second batch", "b", "a:2/2 b:4/4", "")
	b.apply(t, "the last", "b", "b:6/6", "")
	b.counted(t, "the attachment leaves the state in the middle of a rollout, and is imported")
}

// write writes the configuration with a version.
func (b *behindReadiness) write(t *testing.T, version string) {
	t.Helper()
	require.NoError(t, b.Write(b.config(t, version)))
	if b.watched != nil {
		b.watched.Resize(b.size)
	}
}

// plan plans a version, and returns what it shows.
func (b *behindReadiness) plan(t *testing.T, version string) (string, error) {
	t.Helper()
	b.write(t, version)
	return b.Run(t.Context(), "plan", "-input=false", "-no-color")
}
