// Package hook tells a consumer about a node that leaves the cluster or has
// joined it, and waits until the consumer is done with it.
package hook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// The transitions that a hook is run for.
const (
	Termination = "termination" // before the node's server is destroyed
	Launch      = "launch"      // after the node's server was created
)

// Message is what a consumer gets. A message that is sent again has the
// same token, and a token is of one node and transition only.
type Message struct {
	Token      string `json:"lifecycle_action_token"`
	NodeID     string `json:"node_id"` // id of the server
	Transition string `json:"lifecycle_transition_type"`
	Region     string `json:"region"`
	NodeName   string `json:"node_name,omitempty"`
	Cluster    string `json:"cluster,omitempty"`
	Address    string `json:"address,omitempty"`  // of a node that has joined
	Consumer   string `json:"consumer,omitempty"` // host of the webhook: no other consumer takes the message
}

// Node names the node at the beginning of a sentence.
func (m Message) Node() string {
	server := fmt.Sprintf("server %s, region %s", plain(m.NodeID), plain(m.Region))
	if m.NodeName == "" {
		return "The node (" + server + ")"
	}
	return fmt.Sprintf("The node %q (%s)", plain(m.NodeName), server)
}

// Result says what happens when a hook fails or takes too long.
type Result string

// The results of a hook that does not complete.
const (
	Continue Result = "CONTINUE" // as if it had completed, with a warning
	Abandon  Result = "ABANDON"  // an error: a node that leaves stays, a new one is not in service
)

// Spec is a hook as it stands in a configuration.
type Spec struct {
	Type      string              // of [Types]
	Arguments map[string][]string // those of the type, each with one value unless it is a list
	Timeout   time.Duration       // 0: [DefaultTimeout]
	Default   Result
}

// DefaultTimeout is how long a consumer may take where nothing is said.
const DefaultTimeout = 5 * time.Minute

// Limit is how long the consumer may take.
func (s Spec) Limit() time.Duration { return cmp.Or(s.Timeout, DefaultTimeout) }

// one returns the value of an argument that is no list.
func (s Spec) one(argument string) string {
	if values := s.Arguments[argument]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// identity differs from hook to hook, so that the progress of one is not taken for that of another.
func (s Spec) identity(m Message) string {
	facts, _ := json.Marshal([]any{s.Type, s.Arguments, m.Token, m.NodeID, m.Transition, m.Region}) // maps are sorted
	return fmt.Sprintf("%x", sha256.Sum256(facts))
}

// Progress says how far a hook came. [Runner.Run] changes it as it goes; a
// caller keeps it, as JSON, where a run may have to be resumed.
type Progress struct {
	Hook      string    `json:"hook,omitempty"`    // which hook, for which node
	Receipt   string    `json:"receipt,omitempty"` // of the message that is out
	Expires   time.Time `json:"expires,omitzero"`  // when that message stops to count
	Completed bool      `json:"completed,omitempty"`
}

// Runner runs hooks with what the provider block says about them. It may be
// used for several nodes at once.
type Runner struct {
	// Messaging returns a client for the Zaqar of a region. The client id, a
	// UUID, tells those who post apart.
	Messaging func(ctx context.Context, region, clientID string) (*gophercloud.ServiceClient, error)
	// LoadBalancer returns the Octavia of a region, and Addresses those that Nova
	// shows of a server.
	LoadBalancer func(ctx context.Context, region string) (*openstack.LoadBalancer, error)
	Addresses    func(ctx context.Context, region, serverID string) ([]string, error)
	// HTTP sends webhooks; see [web.NewClient].
	HTTP *http.Client
	// Signer signs webhooks; nil: they are not signed.
	Signer Signer
	// UserAgent is that of webhooks.
	UserAgent string
	// AllowCommands says that commands may be run.
	AllowCommands bool
	// Log writes a line to the log; nil: there is none.
	Log func(ctx context.Context, message string, fields map[string]any)

	pause time.Duration // between two looks or requests; 0: a second
}

// hook is one hook, made from its [Spec].
type hook interface {
	// Run notifies the consumer and returns nil when it is done. It goes on from
	// the progress of an earlier run and notes its own there.
	Run(ctx context.Context, m Message, p *Progress) error
}

// AbandonedError says that a hook did not complete, and that its default result
// is [Abandon].
type AbandonedError struct{ err error }

func (e *AbandonedError) Error() string { return e.err.Error() }
func (e *AbandonedError) Unwrap() error { return e.err }

// Run runs a hook for a node until it completes, fails or takes longer than its
// timeout. Then its default result decides: with [Continue] the warning says
// what went wrong, with [Abandon] an [*AbandonedError] does. Any other error is
// the cause of the end of ctx: the run was cut short and has no result.
//
// A hook that completed, as p says, is not run again. Progress that belongs to
// another hook, or to another node, does not count.
func (r *Runner) Run(ctx context.Context, s Spec, m Message, p *Progress) (warning string, err error) {
	if id := s.identity(m); p.Hook != id {
		*p = Progress{Hook: id}
	}
	if p.Completed {
		return "", nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.Limit(), fmt.Errorf("not completed within %s", s.Limit()))
	defer cancel()
	made, err := s.make(r)
	if err == nil {
		err = made.Run(limited, m, p)
	}
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil && limited.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(limited)
	}
	if err != nil && s.Default != Continue {
		return "", &AbandonedError{fmt.Errorf("%s: %w", m.Node(), err)}
	}
	p.Completed = true
	if err != nil {
		goesOn := "counts as drained"
		if m.Transition == Launch {
			goesOn = "counts as ready"
		}
		warning = fmt.Sprintf("%s %s, because default_result is CONTINUE, although its hook did not complete: %v.",
			m.Node(), goesOn, err)
	}
	return warning, nil
}

// log writes a line about a node to the log.
func (r *Runner) log(ctx context.Context, m Message, message string, fields map[string]any) {
	if r.Log == nil {
		return
	}
	all := map[string]any{"server": m.NodeID, "region": m.Region, "node": m.NodeName, "transition": m.Transition}
	maps.Copy(all, fields)
	r.Log(ctx, message, all)
}

// plain makes a text that others wrote fit for a diagnostic and the log.
func plain(s string) string { return text.Clean(text.Cut(s, 300)) }

// between waits between two looks, or returns why ctx ended.
func (r *Runner) between(ctx context.Context) error {
	return wait.For(ctx, cmp.Or(r.pause, time.Second))
}
