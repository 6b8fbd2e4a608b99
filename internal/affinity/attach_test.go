package affinity_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/affinity"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func compute(t *testing.T, fake *fakecloud.Cloud) *openstack.Compute {
	t.Helper()
	return patient(t, fake, time.Hour)
}

// givenUp is the timeout of a request that hangs, in tests that need one.
const givenUp = 5 * time.Second

// patient is a client with a timeout.
func patient(t *testing.T, fake *fakecloud.Cloud, timeout time.Duration) *openstack.Compute {
	t.Helper()
	cloud, err := openstack.New(openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID, RequestTimeout: timeout, MaxRetries: 2})
	require.NoError(t, err)
	region, err := cloud.Compute(t.Context(), "RegionOne")
	require.NoError(t, err)
	return region
}

// TestLost: after a lost answer the error names the group, whoever gave the name, and the creation is not repeated. The next
// attachment inherits a group with the user's name. After a refusal nothing is lost.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   fakecloud.Fault
		policy  affinity.Policy
		refused bool
	}{
		"the answer breaks off":  {fakecloud.Fault{Effect: fakecloud.Truncate}, affinity.Policy{}, false},
		"no answer comes":        {fakecloud.Fault{Effect: fakecloud.Hang, Acts: true}, affinity.Policy{}, false},
		"no answer ever comes":   {fakecloud.Fault{Effect: fakecloud.Hang}, affinity.Policy{}, false},
		"the connection breaks":  {fakecloud.Fault{Effect: fakecloud.Reset}, affinity.Policy{}, false},
		"a proxy gives up":       {fakecloud.Fault{Status: http.StatusGatewayTimeout}, affinity.Policy{}, false},
		"a proxy loses it":       {fakecloud.Fault{Status: http.StatusBadGateway, Acts: true}, affinity.Policy{}, false},
		"it is 500 and was made": {fakecloud.Fault{Status: http.StatusInternalServerError, Acts: true}, affinity.Policy{}, false},
		"it is HTML, and was made": {fakecloud.Fault{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>", Acts: true},
			affinity.Policy{}, false},
		"of a name of the user's": {fakecloud.Fault{Effect: fakecloud.Reset, Acts: true}, affinity.Policy{Name: "web", Policy: affinity.SoftAffinity}, false},
		"no quota":                {fakecloud.Fault{Status: http.StatusForbidden}, affinity.Policy{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakecloud.Start(t, fakecloud.Config{})
			region := patient(t, fake, givenUp)
			c.fault.Service, c.fault.Method, c.fault.Path = fakecloud.Compute, http.MethodPost, "/os-server-groups"
			fake.Inject(c.fault)
			_, err := affinity.Attach(t.Context(), region, c.policy)
			require.Error(t, err)
			assert.Equal(t, 1, fake.Count("POST compute /os-server-groups"), "requests")
			assert.Equal(t, !c.refused, lost(err), "got %v", err)
			groups := fake.ServerGroups("RegionOne")
			for _, g := range groups {
				assert.ErrorContains(t, err, fmt.Sprintf("the server group %q was made", g.Name))
			}
			if c.policy.Name == "" {
				return
			}
			binding, err := affinity.Attach(t.Context(), region, c.policy)
			if err != nil || !binding.Inherited || binding.Group.ID != groups[0].ID || len(fake.ServerGroups("RegionOne")) != 1 {
				t.Errorf("the next one: %+v, %v", binding, err)
			}
		})
	}
}

// lost reports whether an error says that a group may have been made.
func lost(err error) bool {
	return err != nil && strings.Contains(err.Error(), "it is not known whether the server group ")
}

// TestOneTurn: two attachments that want one name at the same time get one group.
func TestOneTurn(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	region := compute(t, fake)
	fake.Inject(fakecloud.Fault{Method: http.MethodPost, Path: "/os-server-groups", Effect: fakecloud.Delay, Delay: 100 * time.Millisecond,
		Times: fakecloud.Forever})
	var wait sync.WaitGroup
	bindings := make([]affinity.Binding, 4)
	for i := range bindings {
		wait.Go(func() {
			var err error
			bindings[i], err = affinity.Attach(t.Context(), region, affinity.Policy{Name: "web", Policy: affinity.Affinity})
			assert.NoError(t, err)
		})
	}
	wait.Wait()
	created := 0
	for _, b := range bindings {
		assert.Equal(t, bindings[0].Group.ID, b.Group.ID, "got %+v", bindings)
		if !b.Inherited {
			created++
		}
	}
	assert.Equal(t, 1, created, "attachments that created it")
	assert.Len(t, fake.ServerGroups("RegionOne"), 1)
}

// TestInheritedIsKept: a group that was just inherited is not deleted, and any other is.
func TestInheritedIsKept(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	region := compute(t, fake)
	attach := func(name string) affinity.Binding {
		binding, err := affinity.Attach(t.Context(), region, affinity.Policy{Name: name, Policy: affinity.Affinity})
		require.NoError(t, err)
		return binding
	}
	web, db := attach("web"), attach("db")
	require.True(t, attach("web").Inherited)
	for id, want := range map[string]bool{web.Group.ID: true, db.Group.ID: false} {
		if kept, err := affinity.Detach(t.Context(), region, id); err != nil || kept != want {
			t.Errorf("got %t, %v", kept, err)
		}
	}
	if groups := fake.ServerGroups("RegionOne"); len(groups) != 1 || groups[0].ID != web.Group.ID {
		t.Errorf("left are %v", groups)
	}
	// Another process has another login, and does not know that the group is inherited.
	if kept, err := affinity.Detach(t.Context(), compute(t, fake), web.Group.ID); err != nil || kept {
		t.Errorf("got %t, %v", kept, err)
	}
}

// TestCancelledAttach: a cancelled attachment does not wait for a Nova that hangs, and names a group that may have been made.
func TestCancelledAttach(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	region := compute(t, fake)
	hang := fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Effect: fakecloud.Hang, Acts: true, Times: fakecloud.Forever})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-hang.Hit()
		cancel()
	}()
	_, err := affinity.Attach(ctx, region, affinity.Policy{Policy: affinity.AntiAffinity})
	assert.True(t, lost(err), "got %v", err)
}

// TestCancelledWait: an attachment that waits for another one can be cancelled.
func TestCancelledWait(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	region := compute(t, fake)
	hang := fake.Inject(fakecloud.Fault{Method: http.MethodPost, Path: "/os-server-groups", Effect: fakecloud.Hang})
	held, letGo := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := affinity.Attach(held, region, affinity.Policy{})
		first <- err
	}()
	<-hang.Hit()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel) // during the wait or before it: the result is the same
	_, err := affinity.Attach(ctx, region, affinity.Policy{})
	assert.ErrorIs(t, err, context.Canceled)
	letGo()
	assert.Error(t, <-first)
	assert.Equal(t, 1, fake.Count("POST compute /os-server-groups"))
}

// TestManyGroups: Nova's list ends silently at its limit.
func TestManyGroups(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{PageLimit: 3})
	for range 7 {
		fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "g", Policy: affinity.Affinity})
	}
	wanted := fake.AddServerGroup("RegionOne", fakecloud.ServerGroup{Name: "wanted", Policy: affinity.Affinity})
	binding, err := affinity.Attach(t.Context(), compute(t, fake), affinity.Policy{Name: "wanted", Policy: affinity.Affinity})
	require.NoError(t, err)
	assert.Equal(t, []any{true, wanted}, []any{binding.Inherited, binding.Group.ID})
}
