package affinitytf_test

import (
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// lostPost makes the next group, and loses the answer.
var lostPost = fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/os-server-groups", Effect: fakecloud.Reset, Acts: true}

// noLook lets nobody look at groups.
var noLook = fakecloud.Fault{Method: http.MethodGet, Path: "/os-server-groups", Status: http.StatusServiceUnavailable, Times: fakecloud.Forever}

// TestAffinityAttachment_lost: the answer to the creation was lost. A group with
// a name of the attachment's own is found. Where it cannot be looked for, the
// attachment is tainted, and the next apply removes what was made before it makes
// another.
func TestAffinityAttachment_lost(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := c.Workspace(t, affinityAttachment(""))

	c.Fake.Inject(lostPost)
	apply(t, w)
	if groups := c.Fake.ServerGroups("RegionOne"); len(groups) != 1 {
		t.Fatalf("groups %+v", groups)
	}
	if _, err := w.Destroy(t.Context()); err != nil || len(c.Fake.ServerGroups("RegionOne")) != 0 {
		t.Fatalf("created by us, so it is deleted: %v, %+v", err, c.Fake.ServerGroups("RegionOne"))
	}

	c.Fake.Inject(lostPost)
	down := c.Fake.Inject(noLook)
	if _, err := w.Apply(t.Context()); err == nil || !acctest.Says("Unable to find out whether the server group was created").MatchString(err.Error()) {
		t.Fatalf("got %v", err)
	}
	down.Remove()
	if groups := c.Fake.ServerGroups("RegionOne"); len(groups) != 1 {
		t.Fatalf("groups %+v", groups)
	}
	apply(t, w)
	if groups := c.Fake.ServerGroups("RegionOne"); len(groups) != 1 {
		t.Errorf("groups %+v", groups)
	}

	// The same when another group is attached in place.
	write(t, w, affinityAttachment("%s", serverGroup(policies("soft-affinity"))))
	c.Fake.Inject(lostPost)
	down = c.Fake.Inject(noLook)
	if _, err := w.Apply(t.Context()); err == nil || !acctest.Says("Unable to find out whether the server group was created").MatchString(err.Error()) {
		t.Fatalf("got %v", err)
	}
	down.Remove()
	apply(t, w)
	settled(t, w)
	if groups := c.Fake.ServerGroups("RegionOne"); len(groups) != 1 || groups[0].Policy != "soft-affinity" {
		t.Errorf("groups %+v", groups)
	}
	if _, err := w.Destroy(t.Context()); err != nil || len(c.Fake.ServerGroups("RegionOne")) != 0 {
		t.Errorf("destroyed: %v, %+v", err, c.Fake.ServerGroups("RegionOne"))
	}
}

// TestAffinityAttachment_lostName: a name that the user chose proves nothing.
// The apply fails, and the next one inherits the group, which then stays.
func TestAffinityAttachment_lostName(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	w := c.Workspace(t, affinityAttachment("%s", serverGroup(named("web"))))
	c.Fake.Inject(lostPost)
	_, err := w.Apply(t.Context())
	groups := c.Fake.ServerGroups("RegionOne")
	if len(groups) != 1 {
		t.Fatalf("groups %+v", groups)
	}
	for _, want := range []string{
		"Unable to find out whether the server group was created",
		"Nova has a server group of this name now (" + groups[0].ID + "), but anybody may have made it, so it is not taken as created by this attachment.",
		"The next apply inherits a group of this name if there is one; then it stays when the attachment is destroyed.",
	} {
		if err == nil || !acctest.Says(want).MatchString(err.Error()) {
			t.Errorf("not %q: %v", want, err)
		}
	}
	if state, err := w.State(t.Context()); err != nil || state.Values != nil && len(state.Values.RootModule.Resources) > 0 {
		t.Errorf("the state has %+v, %v", state.Values, err)
	}
	apply(t, w)
	settled(t, w)
	if _, err := w.Destroy(t.Context()); err != nil || len(c.Fake.ServerGroups("RegionOne")) != 1 {
		t.Errorf("destroyed: %v, groups %v", err, c.Fake.ServerGroups("RegionOne"))
	}
}
