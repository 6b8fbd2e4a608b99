package hook

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/claims"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/queues"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// zaqarCloud is a client of the fake cloud.
func zaqarCloud(t *testing.T, fake *fakecloud.Cloud) *openstack.Cloud {
	t.Helper()
	cloud, err := openstack.New(openstack.Config{AuthURL: fake.AuthURL(), UserName: fakecloud.MemberUser, Password: fakecloud.Password,
		TenantName: fakecloud.MemberProject, DefaultDomain: fakecloud.DomainID})
	require.NoError(t, err)
	return cloud
}

// testHook is a hook with the queue "drain" of a fake cloud, and with a clock that the test can move and that counts
// how often it is read.
type testHook struct {
	zaqar
	moved, looks atomic.Int64
}

func zaqarHook(t *testing.T) (*fakecloud.Cloud, *gophercloud.ServiceClient, *testHook) {
	t.Helper()
	fake := fakecloud.Start(t, fakecloud.Config{})
	cloud := zaqarCloud(t, fake)
	z := &testHook{zaqar: zaqar{runner: &Runner{Messaging: cloud.Messaging, pause: time.Millisecond}, queue: "drain", ttl: time.Hour}}
	z.now = func() time.Time {
		z.looks.Add(1)
		return time.Now().Round(0).Add(time.Duration(z.moved.Load()))
	}
	client, err := cloud.Messaging(t.Context(), "RegionOne", "3f2c1d0e-4b5a-4697-8c8d-9e0f1a2b3c4d") // not the one that posts
	require.NoError(t, err)
	return fake, client, z
}

func (z *testHook) advance(d time.Duration) { z.moved.Add(int64(d)) }

// queued lists the messages in the queue, as a consumer sees them.
func queued(t *testing.T, client *gophercloud.ServiceClient) (list []messages.Message) {
	t.Helper()
	pages, err := messages.List(client, "drain", messages.ListOpts{Echo: true, Limit: 20}).AllPages(t.Context())
	require.NoError(t, err)
	list, err = messages.ExtractMessages(pages)
	require.NoError(t, err)
	return list
}

var message = Message{Token: "t-1", NodeID: "n-1", Transition: Termination, Region: "RegionOne", Cluster: "web"}

func consume(t *testing.T, client *gophercloud.ServiceClient, id string) {
	t.Helper()
	require.NoError(t, messages.Delete(t.Context(), client, "drain", id, nil).ExtractErr())
}

// first waits until a message is in the queue, and returns it.
func first(t *testing.T, client *gophercloud.ServiceClient) messages.Message {
	t.Helper()
	for {
		if list := queued(t, client); len(list) > 0 {
			return list[0]
		}
		time.Sleep(time.Millisecond)
	}
}

// TestZaqarCompleted: the consumer completes the hook by deleting the message. The message outlives the hook's
// timeout by an hour. The hook searches for it once, before posting; afterwards it knows the id from the answer.
func TestZaqarCompleted(t *testing.T) {
	fake, client, z := zaqarHook(t)
	for timeout, want := range map[time.Duration]int{0: 3900, time.Minute: 3660, 24 * time.Hour: 90000} {
		done := make(chan error)
		go func() {
			spec := Spec{Type: "zaqar", Arguments: map[string][]string{"queue": {"drain"}}, Timeout: timeout}
			_, err := z.runner.Run(t.Context(), spec, message, &Progress{})
			done <- err
		}()
		posted := first(t, client)
		select {
		case err := <-done:
			t.Fatalf("done before the consumer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		assert.Len(t, queued(t, client), 1, "messages")
		assert.Equal(t, want, posted.TTL, "seconds that it lives with a timeout of %s", timeout)
		assert.Equal(t, map[string]any{"lifecycle_action_token": "t-1", "node_id": "n-1", "resource_id": "n-1",
			"lifecycle_transition_type": "termination", "region": "RegionOne", "cluster": "web"}, posted.Body)
		consume(t, client, posted.ID)
		assert.NoError(t, <-done)
	}
	searched := 0
	for _, r := range fake.Requests() {
		if r.Query.Has("include_claimed") {
			searched++
		}
	}
	assert.Equal(t, 3, searched, "searches")
}

// until runs the hook until it has looked at the message a few times, and fails if the hook completes.
func until(t *testing.T, z *testHook, p *Progress, want string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan error, 1)
	before := z.looks.Load()
	go func() { done <- z.Run(ctx, message, p) }()
	for z.looks.Load() < before+8 {
		select {
		case err := <-done:
			t.Fatalf("got %v, want %q", err, want)
		case <-time.After(time.Millisecond):
		}
	}
	cancel(errors.New("too late"))
	require.ErrorContains(t, <-done, "too late; "+want)
}

// expectQueued fails unless the queue has one message: the one that the hook waits for.
func expectQueued(t *testing.T, client *gophercloud.ServiceClient, p Progress) messages.Message {
	t.Helper()
	list := queued(t, client)
	require.Len(t, list, 1)
	require.Equal(t, []any{p.Receipt, "t-1"}, []any{list[0].ID, list[0].Body["lifecycle_action_token"]})
	return list[0]
}

const waiting = `the message is still in the queue "drain"`

// TestZaqarNotTwice: a run that was interrupted left the message, and the next run waits for the same message.
func TestZaqarNotTwice(t *testing.T) {
	_, client, z := zaqarHook(t)
	for i := range 30 { // other messages, more than a page
		body := map[string]any{"other": i}
		require.NoError(t, messages.Create(t.Context(), client, "drain", messages.BatchCreateOpts{{TTL: 300, Body: body}}).Err)
	}
	var p Progress
	for _, known := range []bool{false, false, true} { // killed twice, then failed
		if !known {
			p = Progress{}
		}
		until(t, z, &p, waiting)
		assert.WithinRange(t, p.Expires, time.Now().Add(50*time.Minute), time.Now().Add(time.Hour))
	}
	assert.Len(t, queued(t, client), 31, "messages")
	_, err := claims.Create(t.Context(), client, "drain", claims.CreateOpts{TTL: 300, Grace: 60, Limit: 20}).Extract()
	require.NoError(t, err)
	_, err = claims.Create(t.Context(), client, "drain", claims.CreateOpts{TTL: 300, Grace: 60, Limit: 20}).Extract()
	require.NoError(t, err)
	until(t, z, &Progress{}, waiting)
	assert.Empty(t, queued(t, client), "a message that a consumer works at is not posted again")
}

// TestZaqarGone: a posted message that is gone was completed by the consumer, if it had not expired and its queue
// exists. Otherwise it was lost, and is posted again with the same token.
func TestZaqarGone(t *testing.T) {
	type posted struct {
		fake    *fakecloud.Cloud
		client  *gophercloud.ServiceClient
		advance func(time.Duration) // advances the provider's clock
		consume func()
	}
	for _, c := range []struct {
		name    string
		happens func(t *testing.T, p posted)
		again   bool
	}{
		{"consumed", func(_ *testing.T, p posted) { p.consume() }, false},
		{"consumed, among many queues", func(t *testing.T, p posted) {
			names := []string{"zoo"}
			for i := range 45 { // more than two pages before the name "drain"
				names = append(names, fmt.Sprintf("a-%d", i))
			}
			for _, name := range names {
				require.NoError(t, queues.Create(t.Context(), p.client, queues.CreateOpts{QueueName: name, DefaultMessageTTL: 60}).Err)
			}
			p.consume()
		}, false},
		{"consumed, and the list of queues is refused", func(_ *testing.T, p posted) {
			p.fake.Inject(fakecloud.Fault{Service: fakecloud.Messaging, Method: http.MethodGet, Path: "/queues", Status: 403, Times: fakecloud.Forever})
			p.consume()
		}, false},
		{"consumed long ago, just before it expired", func(_ *testing.T, p posted) {
			p.consume()
			p.advance(58 * time.Minute)
		}, false},
		{"expired", func(_ *testing.T, p posted) {
			p.fake.Advance(2 * time.Hour)
			p.advance(2 * time.Hour)
		}, true},
		{"expired, by the clock of another machine that is a little late", func(_ *testing.T, p posted) {
			p.fake.Advance(time.Hour)
			p.advance(59*time.Minute + 30*time.Second)
		}, true},
		{"lost with its queue", func(t *testing.T, p posted) {
			require.NoError(t, queues.Delete(t.Context(), p.client, "drain").ExtractErr())
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake, client, z := zaqarHook(t)
			var p Progress
			until(t, z, &p, waiting)
			was := p.Receipt
			c.happens(t, posted{fake, client, z.advance, func() { consume(t, client, was) }})
			if !c.again {
				fake.Inject(fakecloud.Fault{Service: fakecloud.Messaging, Method: http.MethodPost, Status: 403}) // so that the run ends when it posts again
				assert.NoError(t, z.Run(t.Context(), message, &p))
				return
			}
			until(t, z, &p, waiting)
			expectQueued(t, client, p)
			assert.NotEqual(t, was, p.Receipt)
			consume(t, client, p.Receipt)
			assert.NoError(t, z.Run(t.Context(), message, &p))
		})
	}
}

// TestZaqarFaults: a request is repeated if Zaqar fails for the moment, a lost answer causes no second message, and a
// refusal is final. A message that expired never counts as completed, whatever fails when it is posted again.
func TestZaqarFaults(t *testing.T) {
	notMine := regexp.MustCompile("include_claimed") // request that is not part of the case
	for name, c := range map[string]struct {
		expired bool // a message was posted, and expired
		fault   fakecloud.Fault
		ends    string // error of the run that meets the fault; "" if it continues
	}{
		"the list fails":                {false, fakecloud.Fault{Method: http.MethodGet, PathRegexp: notMine, Status: 503}, ""},
		"claimed ones cannot be listed": {false, fakecloud.Fault{Method: http.MethodGet, PathRegexp: notMine, Status: 503, Times: fakecloud.Forever}, ""},
		"its pages repeat": {false, fakecloud.Fault{Method: http.MethodGet, PathRegexp: notMine, Status: 200, Times: fakecloud.Forever,
			Body: `{"messages": [{"id": "1"}], "links": [{"rel": "next", "href": "/v2/queues/drain/messages?include_claimed=true&marker=1"}]}`}, ""},
		"the list is refused":           {false, fakecloud.Fault{Status: 403}, `look into the queue "drain"`},
		"the post fails":                {false, fakecloud.Fault{Method: http.MethodPost, Status: 503}, ""},
		"the post's answer is lost":     {false, fakecloud.Fault{Method: http.MethodPost, Effect: fakecloud.Reset, Acts: true}, ""},
		"the post's answer is no more":  {false, fakecloud.Fault{Method: http.MethodPost, Effect: fakecloud.Truncate}, ""},
		"a look fails":                  {false, fakecloud.Fault{Method: http.MethodGet, Path: "/queues/*/messages/*", Times: 3, Status: 500}, ""},
		"the second post fails":         {true, fakecloud.Fault{Method: http.MethodPost, Status: 503}, ""},
		"the list before it fails":      {true, fakecloud.Fault{Method: http.MethodGet, Path: "/queues/*/messages", Status: 503, Times: 4}, ""},
		"it is refused":                 {true, fakecloud.Fault{Method: http.MethodPost, Status: 403}, `post to the queue "drain"`},
		"Zaqar's answer has no message": {true, fakecloud.Fault{Method: http.MethodPost, Status: 201, Body: `{"resources": []}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, client, z := zaqarHook(t)
			var p Progress
			if c.expired {
				until(t, z, &p, waiting)
				fake.Advance(2 * time.Hour)
				z.advance(2 * time.Hour)
			}
			c.fault.Service = fakecloud.Messaging
			injected := fake.Inject(c.fault)
			if c.ends != "" {
				require.ErrorContains(t, z.Run(t.Context(), message, &p), c.ends)
			}
			until(t, z, &p, waiting)
			assert.NotZero(t, injected.Fired(), "nothing failed")
			expectQueued(t, client, p)
			consume(t, client, p.Receipt)
			assert.NoError(t, z.Run(t.Context(), message, &p))
		})
	}
}

// TestZaqarQueueReturns: a message was lost with its queue, and could not be posted again. If the queue is there again,
// the lost message does not count as taken by a consumer.
func TestZaqarQueueReturns(t *testing.T) {
	fake, client, z := zaqarHook(t)
	var p Progress
	until(t, z, &p, waiting)
	require.NoError(t, queues.Delete(t.Context(), client, "drain").ExtractErr())
	fake.Inject(fakecloud.Fault{Service: fakecloud.Messaging, Method: http.MethodPost, Status: 403})
	require.ErrorContains(t, z.Run(t.Context(), message, &p), `post to the queue "drain"`)
	require.NoError(t, queues.Create(t.Context(), client, queues.CreateOpts{QueueName: "drain", DefaultMessageTTL: 3600}).Err)
	until(t, z, &p, waiting)
	expectQueued(t, client, p)
}

// TestZaqarDelayed: a queue may delay its messages. A delayed message counts as posted, and no second one is posted.
func TestZaqarDelayed(t *testing.T) {
	fake, client, z := zaqarHook(t)
	opts := queues.CreateOpts{QueueName: "drain", DefaultMessageTTL: 3600, DefaultMessageDelay: 900}
	require.NoError(t, queues.Create(t.Context(), client, opts).Err)
	for range 2 { // the second run does not know of the first
		until(t, z, &Progress{}, waiting)
	}
	assert.Empty(t, queued(t, client), "it is there already")
	fake.Advance(20 * time.Minute)
	assert.Len(t, queued(t, client), 1, "messages")
}

// TestRemaining: a message lives as long as Zaqar says, within Zaqar's own bounds.
func TestRemaining(t *testing.T) {
	const longest = 14 * 24 * time.Hour
	for _, c := range []struct {
		ttl, age int
		want     time.Duration
	}{
		{3600, 0, time.Hour},
		{3600, 60, 59 * time.Minute},
		{60, 90, -30 * time.Second},
		{-5, 0, 0},
		{60, -5, time.Minute},
		{math.MaxInt, 0, longest},
		{math.MaxInt, math.MaxInt, 0},
	} {
		assert.Equal(t, c.want, remaining(messages.Message{TTL: c.ttl, Age: c.age}), "ttl %d, age %d", c.ttl, c.age)
	}
}
