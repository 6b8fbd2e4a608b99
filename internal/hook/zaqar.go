package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/queues"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

var zaqarType = Type{
	Name: "zaqar",
	Arguments: []Argument{{
		Name:        "queue",
		Description: "Name of the queue.",
		check: func(values []string) []Fault {
			if n := len(values[0]); n < 1 || n > 64 {
				return []Fault{{Text: fmt.Sprintf("The name of a queue has 1 to 64 characters, not %d.", n)}}
			}
			return nil
		},
	}},
	make: func(r *Runner, s Spec) (hook, error) {
		if r.Messaging == nil {
			return nil, errors.New("a hook of type zaqar needs an OpenStack cloud, and no cloud is configured")
		}
		// The clock is not the monotonic one, which stops while a machine sleeps.
		now := func() time.Time { return time.Now().Round(0) }
		return &zaqar{runner: r, queue: s.one("queue"), ttl: s.Limit() + time.Hour, now: now}, nil
	},
}

const (
	// Zaqar hides from a client its own messages, and needs the client's name, which is a UUID.
	clientID = "5b0e6c1d-93f2-4a7c-8d15-e2b4f7a90c63"

	clockSkew = time.Minute // maximum difference of the clocks of two machines that resume a run
	zaqarPage = 20          // messages of a page; Zaqar's own maximum
)

// zaqar posts the message to a queue. The consumer completes the hook by deleting the message. A message that expired
// was not deleted by the consumer.
type zaqar struct {
	runner *Runner
	queue  string
	ttl    time.Duration // lifetime of a message: longer than the hook's timeout, so that few expire
	now    func() time.Time
}

// Run implements [hook]. The receipt is the message's id.
func (z *zaqar) Run(ctx context.Context, m Message, p *Progress) error {
	client, err := z.runner.Messaging(ctx, m.Region, clientID)
	if err != nil {
		return err
	}
	return z.runner.until(ctx, fmt.Sprintf("the queue %q was not reached", z.queue), func() (done bool, err error) {
		if p.Receipt == "" {
			err = z.send(ctx, client, m, p)
		} else {
			done, err = z.look(ctx, client, m, p)
		}
		if !done && err == nil {
			err = fmt.Errorf("the message is still in the queue %q", z.queue)
		}
		return done, err
	})
}

// look checks whether the consumer is done with the message.
func (z *zaqar) look(
	ctx context.Context, client *gophercloud.ServiceClient, m Message, p *Progress,
) (done bool, err error) {
	asked := z.now()
	found, err := messages.Get(ctx, client, z.queue, p.Receipt).Extract()
	switch {
	case err == nil:
		p.Expires = asked.Add(remaining(found))
		return false, nil
	case !gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		return false, fmt.Errorf("look into the queue %q: %w", z.queue, err)
	case asked.Add(clockSkew).Before(p.Expires):
		if there, err := z.hasQueue(ctx, client); there || err != nil {
			return there, err
		}
	}
	// The message expired, or was deleted with its queue: no consumer has completed the hook.
	z.runner.log(ctx, m, "the message of the lifecycle hook was lost and is posted again",
		map[string]any{"queue": z.queue})
	p.Receipt = ""
	return false, z.send(ctx, client, m, p)
}

// send posts the message, unless it is in the queue already, from a run that was killed or did not get the answer.
func (z *zaqar) send(ctx context.Context, client *gophercloud.ServiceClient, m Message, p *Progress) error {
	asked := z.now()
	found, err := z.search(ctx, client, m.Token)
	if err == nil && found.ID == "" {
		asked = z.now()
		found, err = z.post(ctx, client, m)
	}
	if err == nil {
		p.Receipt, p.Expires = found.ID, asked.Add(remaining(found))
	}
	return err
}

// remaining returns how long Zaqar still keeps a message.
func remaining(m messages.Message) time.Duration {
	const most = 14 * 24 * 60 * 60 // Zaqar's own maximum, in seconds
	return time.Duration(min(max(m.TTL, 0), most)-min(max(m.Age, 0), most)) * time.Second
}

// post returns the message with its id and lifetime. An answer without an id is no proof that it was posted: the next
// step searches for it.
func (z *zaqar) post(
	ctx context.Context, client *gophercloud.ServiceClient, m Message,
) (posted messages.Message, err error) {
	text, _ := json.Marshal(m) // texts alone: neither fails
	_ = json.Unmarshal(text, &posted.Body)
	posted.TTL = int(z.ttl.Seconds())
	opts := messages.BatchCreateOpts{{TTL: posted.TTL, Body: posted.Body}}
	list, err := messages.Create(ctx, client, z.queue, opts).Extract()
	if err != nil {
		err = fmt.Errorf("post to the queue %q: %w", z.queue, err)
	}
	posted.ID = messageID.FindString(strings.Join(list.Resources, " "))
	return posted, err
}

// messageID is the end of a message's address.
var messageID = regexp.MustCompile(`[\w-]+$`)

// search looks for the message with the token, among claimed messages too if Zaqar can list them. With its Redis
// driver Zaqar answers 503 to that. The id is empty if there is no such message.
func (z *zaqar) search(
	ctx context.Context, client *gophercloud.ServiceClient, token string,
) (found messages.Message, err error) {
	for _, claimed := range []bool{true, false} {
		opts := messages.ListOpts{Echo: true, IncludeDelayed: true, IncludeClaimed: claimed, Limit: zaqarPage}
		list := messages.List(client, z.queue, opts)
		err = walk(ctx, list, messages.ExtractMessages, func(m messages.Message) string {
			if m.Body["lifecycle_action_token"] == token {
				found = m
			}
			return m.ID
		})
		if err == nil || final(err) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("look into the queue %q: %w", z.queue, err)
	}
	return found, err
}

// walk looks at all items of a list. Zaqar begins again if the last item of a page is gone, so a page without a new
// item, by the names that look returns, is the last one.
func walk[T any](
	ctx context.Context, list pagination.Pager, items func(pagination.Page) ([]T, error), look func(T) (name string),
) error {
	seen := map[string]bool{}
	return list.EachPage(ctx, func(_ context.Context, page pagination.Page) (more bool, err error) {
		list, err := items(page)
		for _, item := range list {
			name := look(item)
			more = more || !seen[name]
			seen[name] = true
		}
		return more, err
	})
}

// hasQueue reports whether the queue exists. Zaqar shows a missing queue as an empty one, so hasQueue looks for it in
// the list of queues. If Zaqar refuses the list, the queue counts as existing.
func (z *zaqar) hasQueue(ctx context.Context, client *gophercloud.ServiceClient) (there bool, err error) {
	list := queues.List(client, queues.ListOpts{Limit: zaqarPage})
	err = walk(ctx, list, queues.ExtractQueues, func(q queues.Queue) string {
		there = there || q.Name == z.queue
		return q.Name
	})
	if err == nil || gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		return there || err != nil, nil
	}
	return false, fmt.Errorf("look for the queue %q: %w", z.queue, err)
}
