package hook_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/deletion/hook"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

func messaging(t *testing.T, fake *fakecloud.Cloud) *gophercloud.ServiceClient {
	t.Helper()
	cloud, err := openstack.New(openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID})
	if err != nil {
		t.Fatal(err)
	}
	client, err := cloud.Messaging(t.Context(), "RegionOne", "3f2c1d0e-4b5a-4697-8c8d-9e0f1a2b3c4d")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// queued lists the messages in the queue, as a consumer sees them.
func queued(t *testing.T, client *gophercloud.ServiceClient) []messages.Message {
	t.Helper()
	pages, err := messages.List(client, "drain", messages.ListOpts{Echo: true}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := messages.ExtractMessages(pages)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var message = hook.Message{Token: "t-1", NodeID: "n-1", Transition: hook.Termination, Region: "RegionOne", Cluster: "web"}

// TestZaqarCompleted: the consumer that deletes the message has completed it.
func TestZaqarCompleted(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	client := messaging(t, fake)
	z := &hook.Zaqar{Client: client, Queue: "drain", TTL: time.Hour, Pause: time.Millisecond}
	done, out := make(chan error), make(chan bool, 1)
	go func() { done <- z.Run(t.Context(), message, "", func(string) { out <- true }) }()
	<-out
	list := queued(t, client)
	if len(list) != 1 || list[0].TTL != 3600 || list[0].Body["lifecycle_action_token"] != "t-1" || list[0].Body["node_id"] != "n-1" ||
		list[0].Body["lifecycle_transition_type"] != "termination" || list[0].Body["cluster"] != "web" {
		t.Fatalf("got %+v", list)
	}
	select {
	case err := <-done:
		t.Fatalf("done before the consumer: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := messages.DeleteMessages(t.Context(), client, "drain", messages.DeleteMessagesOpts{IDs: []string{list[0].ID}}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestZaqarNotTwice: an attempt that was cut short left the message, and the
// next one waits for the same.
func TestZaqarNotTwice(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	client := messaging(t, fake)
	z := &hook.Zaqar{Client: client, Queue: "drain", TTL: time.Hour, Pause: time.Millisecond}
	for i := range 30 { // more than a page of others
		body := map[string]any{"other": i}
		if err := messages.Create(t.Context(), client, "drain", messages.BatchCreateOpts{{TTL: 300, Body: body}}).Err; err != nil {
			t.Fatal(err)
		}
	}
	receipt := ""
	for _, known := range []bool{false, false, true} { // killed twice, then failed
		ctx, cancel := context.WithTimeoutCause(t.Context(), 80*time.Millisecond, errors.New("too late"))
		if !known {
			receipt = ""
		}
		err := z.Run(ctx, message, receipt, func(r string) { receipt = r })
		cancel()
		if err == nil || !strings.Contains(err.Error(), `too late; the message is still in the queue "drain"`) {
			t.Errorf("got %v", err)
		}
	}
	if list := queued(t, client); len(list) != 31 {
		t.Errorf("%d messages, not 31", len(list))
	}
}

// TestZaqarGone: what was posted and is gone is completed, and not posted again.
func TestZaqarGone(t *testing.T) {
	fake := fakecloud.Start(t, fakecloud.Config{})
	client := messaging(t, fake)
	z := &hook.Zaqar{Client: client, Queue: "drain"}
	if err := z.Run(t.Context(), message, "5f3a0f6d8e2b4c71a9d0e1f2", func(string) {}); err != nil || len(queued(t, client)) != 0 {
		t.Errorf("got %v, %v", err, queued(t, client))
	}
}

// TestZaqarFaults: a Zaqar that fails for now is asked again, and a lost answer
// posts nothing twice; a refusal is final.
func TestZaqarFaults(t *testing.T) {
	for name, fault := range map[string]fakecloud.Fault{
		"the list fails":                {Method: http.MethodGet, PathRegexp: regexp.MustCompile("include_claimed"), Status: 503}, // not the test's own
		"claimed ones cannot be listed": {Method: http.MethodGet, PathRegexp: regexp.MustCompile("include_claimed"), Status: 503, Times: fakecloud.Forever},
		"the post fails":                {Method: http.MethodPost, Status: 503},
		"the post's answer is lost":     {Method: http.MethodPost, Effect: fakecloud.Reset, Acts: true},
		"the post's answer is no more":  {Method: http.MethodPost, Effect: fakecloud.Truncate},
		"a look fails":                  {Method: http.MethodGet, Path: "/queues/*/messages/*", Times: 3, Status: 500},
	} {
		fake := fakecloud.Start(t, fakecloud.Config{})
		client := messaging(t, fake)
		fault.Service = fakecloud.Messaging
		injected := fake.Inject(fault)
		z := &hook.Zaqar{Client: client, Queue: "drain", TTL: time.Hour, Pause: time.Millisecond}
		done := make(chan error)
		go func() { done <- z.Run(t.Context(), message, "", func(string) {}) }()
		for len(queued(t, client)) == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		list := queued(t, client)
		if len(list) != 1 || injected.Fired() == 0 {
			t.Errorf("%s: %d messages, fired %d", name, len(list), injected.Fired())
		}
		if err := messages.DeleteMessages(t.Context(), client, "drain", messages.DeleteMessagesOpts{IDs: []string{list[0].ID}}).ExtractErr(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	fake := fakecloud.Start(t, fakecloud.Config{})
	fake.Inject(fakecloud.Fault{Service: fakecloud.Messaging, Status: http.StatusForbidden, Times: fakecloud.Forever})
	z := &hook.Zaqar{Client: messaging(t, fake), Queue: "drain", Pause: time.Millisecond}
	if err := z.Run(t.Context(), message, "", func(string) {}); err == nil || !strings.Contains(err.Error(), `look into the queue "drain"`) {
		t.Errorf("got %v", err)
	}
}
