package affinity_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

func compute(t *testing.T, fake *fakecloud.Cloud) (*openstack.Compute, string) {
	t.Helper()
	cloud, err := openstack.New(openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID, RequestTimeout: 300 * time.Millisecond, MaxRetries: 2})
	if err != nil {
		t.Fatal(err)
	}
	region, err := cloud.Compute(t.Context(), "RegionOne")
	if err != nil {
		t.Fatal(err)
	}
	user, err := cloud.UserID(t.Context())
	if err != nil || user != fakecloud.MemberUserID {
		t.Fatalf("logged in as %q, %v", user, err)
	}
	return region, user
}

// TestLostAnswer: the group was made, the answer never came. It is found, it is
// one, and it counts as created by us.
func TestLostAnswer(t *testing.T) {
	for name, fault := range map[string]fakecloud.Fault{
		"the connection breaks":    {Effect: fakecloud.Reset, Acts: true},
		"the answer breaks off":    {Effect: fakecloud.Truncate},
		"no answer comes":          {Effect: fakecloud.Hang, Acts: true},
		"a proxy loses it":         {Status: http.StatusBadGateway, Acts: true},
		"the answer is nonsense":   {Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: "{", Acts: true},
		"it is 500 and was made":   {Status: http.StatusInternalServerError, Acts: true},
		"it is HTML, and was made": {Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>", Acts: true},
	} {
		for _, policy := range []affinity.Policy{{Policy: affinity.AntiAffinity}, {Name: "web", Policy: affinity.SoftAffinity}, {Policy: affinity.AntiAffinity, MaxServerPerHost: 2}} {
			fake := fakecloud.Start(t, fakecloud.Config{})
			region, user := compute(t, fake)
			fault.Service, fault.Method, fault.Path = fakecloud.Compute, http.MethodPost, "/os-server-groups"
			injected := fake.Inject(fault)
			binding, err := affinity.Attach(t.Context(), region, user, policy)
			if injected.Fired() != 1 {
				t.Errorf("%s: the fault hit %d requests", name, injected.Fired())
			}
			if err != nil || binding.Inherited || binding.Group.Policy != policy.Policy || policy.Name != "" && binding.Group.Name != policy.Name {
				t.Errorf("%s: got %+v, %v", name, binding, err)
			}
			if groups := fake.ServerGroups("RegionOne"); len(groups) != 1 || groups[0].ID != binding.Group.ID {
				t.Errorf("%s: the cloud has %+v", name, groups)
			}
			fake.Close()
		}
	}
}

// TestNotMade: an error after which no group exists is an error, and the group
// is not asked for twice.
func TestNotMade(t *testing.T) {
	for name, fault := range map[string]fakecloud.Fault{
		"unavailable": {Status: http.StatusServiceUnavailable},
		"no quota":    {Status: http.StatusForbidden},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		region, user := compute(t, fake)
		fault.Service, fault.Method, fault.Path, fault.Times = fakecloud.Compute, http.MethodPost, "/os-server-groups", fakecloud.Forever
		fake.Inject(fault)
		_, err := affinity.Attach(t.Context(), region, user, affinity.Policy{Policy: affinity.AntiAffinity})
		if err == nil || errors.As(err, new(*affinity.LostError)) {
			t.Errorf("%s: got %v", name, err)
		}
		if n := fake.Count("POST compute /os-server-groups"); n != 1 || len(fake.ServerGroups("RegionOne")) != 0 {
			t.Errorf("%s: %d requests, groups %v", name, n, fake.ServerGroups("RegionOne"))
		}
	}
}

// TestMadeLate: Nova makes the group after everybody gave up. It is looked for by
// its name before the next one is made. A name that the user gave may by then
// be that of a group which the user made.
func TestMadeLate(t *testing.T) {
	for title, fault := range map[string]fakecloud.Fault{
		"no answer comes":       {Effect: fakecloud.Hang},
		"the connection breaks": {Effect: fakecloud.Reset},
		"a proxy gives up":      {Status: http.StatusGatewayTimeout},
	} {
		for _, name := range []string{"", "web"} {
			fake := fakecloud.Start(t, fakecloud.Config{})
			region, user := compute(t, fake)
			fault.Method, fault.Path = http.MethodPost, "/os-server-groups"
			fake.Inject(fault)
			policy := affinity.Policy{Name: name, Policy: affinity.Affinity}
			_, err := affinity.Attach(t.Context(), region, user, policy)
			lost, ok := errors.AsType[*affinity.LostError](err)
			if err == nil || ok != (name == "") {
				t.Errorf("%s, name %q: got %v", title, name, err)
			}
			if !ok {
				continue
			}
			fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: lost.Name, Policy: affinity.Affinity})
			if _, err := affinity.Detach(t.Context(), region, user, "", lost.Name, policy); err != nil || len(fake.ServerGroups("RegionOne")) != 0 {
				t.Errorf("%s: %v, groups %v", title, err, fake.ServerGroups("RegionOne"))
			}
		}
	}
}

// TestLostForGood: where even looking for the group fails, that is said, and
// detaching by the name finds it later.
func TestLostForGood(t *testing.T) {
	for _, name := range []string{"", "web"} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		region, user := compute(t, fake)
		policy := affinity.Policy{Name: name, Policy: affinity.Affinity}
		fake.Inject(fakecloud.Fault{Method: http.MethodPost, Path: "/os-server-groups", Effect: fakecloud.Reset, Acts: true})
		down := fake.Inject(fakecloud.Fault{Method: http.MethodGet, Path: "/os-server-groups", Nth: map[string]int{"": 1, "web": 3}[name], Status: 503, Times: fakecloud.Forever})
		_, err := affinity.Attach(t.Context(), region, user, policy)
		lost, ok := errors.AsType[*affinity.LostError](err)
		if !ok || name != "" && lost.Name != name || len(fake.ServerGroups("RegionOne")) != 1 {
			t.Fatalf("got %v, groups %v", err, fake.ServerGroups("RegionOne"))
		}
		down.Remove()
		if warning, err := affinity.Detach(t.Context(), region, user, "", lost.Name, policy); err != nil || warning != "" || len(fake.ServerGroups("RegionOne")) != 0 {
			t.Errorf("got %q, %v, groups %v", warning, err, fake.ServerGroups("RegionOne"))
		}
		if _, err := affinity.Detach(t.Context(), region, user, "", lost.Name, policy); err != nil {
			t.Errorf("again: %v", err)
		}
	}
}

// TestFindTakesNoOther: what is not proved to be ours is not taken.
func TestFindTakesNoOther(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	region, user := compute(t, fake)
	full := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: affinity.Affinity})
	fake.AddServers("RegionOne", fakecloud.Server{Name: "a", Group: full})
	fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: affinity.AntiAffinity})
	fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "other", Policy: affinity.Affinity})
	find := func(user string) (*openstack.ServerGroup, error) {
		return affinity.Find(t.Context(), region, user, "web", affinity.Policy{Policy: affinity.Affinity})
	}
	if group, err := find(user); err != nil || group != nil {
		t.Errorf("got %+v, %v", group, err)
	}
	mine := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: affinity.Affinity})
	if group, err := find(user); err != nil || group == nil || group.ID != mine {
		t.Errorf("got %+v, %v", group, err)
	}
	if group, err := find("somebody-else"); err != nil || group != nil {
		t.Errorf("another's: got %+v, %v", group, err)
	}
	fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "web", Policy: affinity.Affinity})
	if _, err := find(user); err == nil || !strings.Contains(err.Error(), "2 server groups named") {
		t.Errorf("got %v", err)
	}
}

// TestCancelledAttach: who cancels while Nova hangs waits no longer than a
// second, and what may have been made is not forgotten.
func TestCancelledAttach(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	region, user := compute(t, fake)
	fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Effect: fakecloud.Hang, Acts: true, Times: fakecloud.Forever})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	_, err := affinity.Attach(ctx, region, user, affinity.Policy{Policy: affinity.AntiAffinity})
	if !errors.As(err, new(*affinity.LostError)) || time.Since(start) > time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
}

// TestOldNova: what a microversion lacks is said, and not tried.
func TestOldNova(t *testing.T) {
	for _, c := range []struct {
		newest string
		policy affinity.Policy
		want   string
	}{
		{"2.14", affinity.Policy{Policy: affinity.SoftAffinity}, "the policy soft-affinity needs Nova's microversion 2.15, and region RegionOne offers 2.14"},
		{"2.63", affinity.Policy{Policy: affinity.AntiAffinity, MaxServerPerHost: 2}, "the rule max_server_per_host needs Nova's microversion 2.64, and region RegionOne offers 2.63"},
		{"2.14", affinity.Policy{Policy: affinity.AntiAffinity}, ""},
		{"2.15", affinity.Policy{Policy: affinity.SoftAntiAffinity}, ""},
		{"2.1", affinity.Policy{Policy: affinity.Affinity}, ""},
		{"2.64", affinity.Policy{Policy: affinity.AntiAffinity, MaxServerPerHost: 2}, ""},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{MaxMicroversion: c.newest})
		region, user := compute(t, fake)
		binding, err := affinity.Attach(t.Context(), region, user, c.policy)
		if c.want != "" {
			if err == nil || err.Error() != c.want || fake.Count("POST compute /os-server-groups") != 0 {
				t.Errorf("%s: got %v", c.newest, err)
			}
			continue
		}
		if err != nil || binding.Group.Policy != c.policy.Policy || binding.Group.MaxServerPerHost != c.policy.MaxServerPerHost {
			t.Errorf("%s: got %+v, %v", c.newest, binding, err)
		}
	}
}

// TestManyGroups: Nova's list ends at its limit without a word.
func TestManyGroups(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{PageLimit: 3})
	region, user := compute(t, fake)
	var last string
	for range 7 {
		last = fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "g", Policy: affinity.Affinity})
	}
	wanted := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "wanted", Policy: affinity.Affinity})
	for _, name := range []string{"wanted", last} {
		binding, err := affinity.Attach(t.Context(), region, user, affinity.Policy{Name: name, Policy: affinity.Affinity})
		if err != nil || !binding.Inherited || binding.Group.ID != wanted && binding.Group.ID != last {
			t.Errorf("%s: got %+v, %v", name, binding, err)
		}
	}
}
