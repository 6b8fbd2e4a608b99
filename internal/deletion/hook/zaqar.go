package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

// Zaqar posts the message to a queue. The consumer that deletes it has
// completed it.
type Zaqar struct {
	Client *gophercloud.ServiceClient
	Queue  string
	TTL    time.Duration // of the message; longer than the hook's timeout, for a message that expires looks like one that is completed

	Pause time.Duration // between two looks; 0: a second
}

// leastTTL is the shortest that Zaqar accepts.
const leastTTL = time.Minute

// Run implements [Hook]. The receipt is the message's id. Without one it looks,
// before it posts, whether the message is in the queue already, from an attempt
// that was killed or whose answer was lost; so a Zaqar that fails for now may be
// asked again.
func (z *Zaqar) Run(ctx context.Context, m Message, receipt string, out func(receipt string)) error {
	for receipt == "" {
		id, err := z.find(ctx, m.Token)
		if err == nil && id == "" {
			id, err = z.post(ctx, m)
		}
		if err == nil {
			receipt = id
			break
		}
		if final(err) {
			return err
		}
		if waitErr := sleep(ctx, z.pause()); waitErr != nil {
			return fmt.Errorf("%w; %w", waitErr, err)
		}
	}
	out(receipt)
	return z.wait(ctx, receipt)
}

// wait returns when the message is gone.
func (z *Zaqar) wait(ctx context.Context, id string) error {
	state := fmt.Sprintf("the message is still in the queue %q", z.Queue)
	for {
		_, err := messages.Get(ctx, z.Client, z.Queue, id).Extract()
		switch {
		case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
			return nil
		case err != nil && ctx.Err() == nil:
			state = fmt.Sprintf("the last look into the queue %q failed: %v", z.Queue, err)
		}
		if err := sleep(ctx, z.pause()); err != nil {
			return fmt.Errorf("%w; %s", err, state)
		}
	}
}

func (z *Zaqar) pause() time.Duration {
	if z.Pause == 0 {
		return time.Second
	}
	return z.Pause
}

// final tells an answer of Zaqar's that will not get better.
func final(err error) bool {
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	return ok && answer.Actual < http.StatusInternalServerError && answer.Actual != http.StatusTooManyRequests
}

func (z *Zaqar) post(ctx context.Context, m Message) (id string, err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		return "", err
	}
	opts := messages.BatchCreateOpts{{TTL: int(max(z.TTL, leastTTL).Seconds()), Body: body}}
	list, err := messages.Create(ctx, z.Client, z.Queue, opts).Extract()
	if err != nil {
		return "", fmt.Errorf("post to the queue %q: %w", z.Queue, err)
	}
	if len(list.Resources) != 1 {
		return "", fmt.Errorf("post to the queue %q: Zaqar answers with %d messages", z.Queue, len(list.Resources))
	}
	return path.Base(list.Resources[0]), nil
}

// find looks for the message with the token: among claimed ones too, where the
// Zaqar can list them. With its Redis driver it answers 503 to that.
func (z *Zaqar) find(ctx context.Context, token string) (id string, err error) {
	opts := messages.ListOpts{Echo: true, IncludeDelayed: true, IncludeClaimed: true, Limit: 20} // Zaqar's own most
	id, err = z.findAmong(ctx, token, opts)
	if err != nil && !final(err) && ctx.Err() == nil {
		opts.IncludeClaimed = false
		id, err = z.findAmong(ctx, token, opts)
	}
	if err != nil {
		return "", fmt.Errorf("look into the queue %q: %w", z.Queue, err)
	}
	return id, nil
}

func (z *Zaqar) findAmong(ctx context.Context, token string, opts messages.ListOpts) (id string, err error) {
	for {
		next := ""
		// One page at a time: gophercloud does not find its way to the next one,
		// and Zaqar's links, of which every page with messages has one, do not end.
		err = messages.List(z.Client, z.Queue, opts).EachPage(ctx, func(_ context.Context, page pagination.Page) (bool, error) {
			list, err := messages.ExtractMessages(page)
			for _, m := range list {
				if m.Body["lifecycle_action_token"] == token {
					id = m.ID
				}
			}
			if err == nil && len(list) > 0 {
				next, err = nextMarker(page)
			}
			return false, err
		})
		if err != nil || id != "" || next == "" || next == opts.Marker {
			return id, err
		}
		opts.Marker = next
	}
}

// nextMarker reads where the next page begins from the link to it.
func nextMarker(page pagination.Page) (string, error) {
	var body struct {
		Links []gophercloud.Link `json:"links"`
	}
	if err := page.(messages.MessagePage).ExtractInto(&body); err != nil {
		return "", err
	}
	for _, link := range body.Links {
		if link.Rel == "next" {
			next, err := url.Parse(link.Href)
			if err != nil {
				return "", err
			}
			return next.Query().Get("marker"), nil
		}
	}
	return "", nil
}
