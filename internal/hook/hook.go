// Package hook notifies a consumer about a node that leaves the cluster or has joined it, and waits until the
// consumer is done with it.
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
	"net/url"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// The transitions for which a hook runs.
const (
	Termination = "termination" // before the node's server is destroyed
	Launch      = "launch"      // after the node's server was created
)

// Message is the message that a consumer gets. A message that is sent again has the same token, and no other node or
// transition has that token.
type Message struct {
	Token      string `json:"lifecycle_action_token"`
	NodeID     string `json:"node_id"` // id of the server
	Transition string `json:"lifecycle_transition_type"`
	Region     string `json:"region"`
	NodeName   string `json:"node_name,omitempty"`
	Cluster    string `json:"cluster,omitempty"`
	Address    string `json:"address,omitempty"`  // address of a node that has joined
	Consumer   string `json:"consumer,omitempty"` // host of the webhook; no other consumer accepts the message
}

// MarshalJSON adds the id of the server under the name that it had in Senlin's messages.
func (m Message) MarshalJSON() ([]byte, error) {
	type fields Message
	return json.Marshal(struct {
		fields
		ResourceID string `json:"resource_id"`
	}{fields(m), m.NodeID})
}

// Node names the node at the beginning of a sentence.
func (m Message) Node() string {
	server := fmt.Sprintf("server %s, region %s", plain(m.NodeID), plain(m.Region))
	if m.NodeName == "" {
		return "The node (" + server + ")"
	}
	return fmt.Sprintf("The node %q (%s)", plain(m.NodeName), server)
}

// Result is the default result of a hook: what happens if it fails or takes too long.
type Result string

// The default results.
const (
	Continue Result = "CONTINUE" // continue with a warning, as if the hook had completed
	Abandon  Result = "ABANDON"  // fail: a node that leaves stays, and a new one is not in service
)

// The types of hooks.
const (
	Webhook = "webhook" // posts the message to a service
	Command = "command" // runs a program on this machine
)

// Spec is a hook as the configuration has it.
type Spec struct {
	Type        string        // [Webhook] or [Command]
	URL         string        // address of a webhook; it may have a secret in it
	Command     []string      // a command and its arguments
	Environment []string      // names of further variables of Terraform's environment that a command gets
	Timeout     time.Duration // time for the consumer; 0 means [DefaultTimeout]
	Default     Result
}

// DefaultTimeout is the time that a consumer has by default.
const DefaultTimeout = 5 * time.Minute

// Limit returns the time that the consumer has.
func (s Spec) Limit() time.Duration { return cmp.Or(s.Timeout, DefaultTimeout) }

// identity returns a hash that differs for each hook and node, so that the progress of one is not used for another.
func (s Spec) identity(m Message) string {
	facts, _ := json.Marshal([]any{s.Type, s.URL, s.Command, s.Environment, m.Token, m.NodeID, m.Transition, m.Region})
	return fmt.Sprintf("%x", sha256.Sum256(facts))
}

// Progress is how far a hook has come. [Runner.Run] updates it. A caller that may have to resume a run keeps it, as
// JSON.
type Progress struct {
	Hook      string `json:"hook,omitempty"` // identity of the hook and the node
	Completed bool   `json:"completed,omitempty"`
}

// Runner runs hooks with the settings of the provider block. It may run hooks for several nodes at once.
type Runner struct {
	// HTTP sends webhooks; see [web.NewClient].
	HTTP *http.Client
	// Signer signs webhooks. Without one they are not signed.
	Signer Signer
	// UserAgent is the header of webhooks.
	UserAgent string
	// AllowCommands reports whether commands may run.
	AllowCommands bool
	// Log writes a line to the log. It may be nil.
	Log func(ctx context.Context, message string, fields map[string]any)

	pause time.Duration // between two looks or requests; 0 means a second
}

// hook notifies the consumer and returns nil once the consumer is done.
type hook func(ctx context.Context, m Message) error

// AbandonedError means that a hook did not complete and its default result is [Abandon].
type AbandonedError struct{ err error }

func (e *AbandonedError) Error() string { return e.err.Error() }
func (e *AbandonedError) Unwrap() error { return e.err }

// Run runs a hook for a node until it completes, fails or takes longer than its timeout. In the last two cases the
// default result decides: [Continue] returns a warning, [Abandon] an [*AbandonedError]. Any other error is the cause
// of the end of ctx: the run was interrupted and has no result.
//
// A hook that has completed according to p does not run again. Progress of another hook or another node is ignored.
func (r *Runner) Run(ctx context.Context, s Spec, m Message, p *Progress) (warning string, err error) {
	if id := s.identity(m); p.Hook != id {
		*p = Progress{Hook: id}
	}
	if p.Completed {
		return "", nil
	}
	run, err := s.make(r)
	if err != nil {
		run = func(context.Context, Message) error { return err }
	}
	return s.run(ctx, run, m, p)
}

// run runs the hook within its limit, and turns its end into the default result.
func (s Spec) run(ctx context.Context, run hook, m Message, p *Progress) (warning string, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, s.Limit(), fmt.Errorf("not completed within %s", s.Limit()))
	defer cancel()
	err = run(limited, m)
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

// plain prepares a foreign text for a diagnostic and the log.
func plain(s string) string { return text.Clean(text.Cut(s, 300)) }

// Fault is something wrong with an argument. Its text has no sensitive value.
type Fault struct {
	Argument string
	Text     string
	Warning  bool // reports whether the hook works anyway
}

// Check returns the faults of the arguments. An unknown type has none, because it is refused elsewhere.
func (s Spec) Check() []Fault {
	switch s.Type {
	case Webhook:
		return checkURL(s.URL)
	case Command:
		return append(checkCommand(s.Command), checkEnvironment(s.Environment)...)
	}
	return nil
}

// Check returns an error if the settings of the provider block do not allow a hook.
func (r *Runner) Check(s Spec) error {
	_, err := s.make(r)
	return err
}

// make makes the hook, or returns what is wrong with it.
func (s Spec) make(r *Runner) (hook, error) {
	for _, fault := range s.Check() {
		if !fault.Warning {
			return nil, fmt.Errorf("its hook cannot be run: %s", strings.TrimSuffix(fault.Text, "."))
		}
	}
	switch {
	case s.Type == Webhook:
		address, _ := url.Parse(s.URL) // Check has read it
		return (&webhook{runner: r, url: address}).run, nil
	case s.Type == Command && !r.AllowCommands:
		return nil, errCommandsNotAllowed
	case s.Type == Command:
		return (&command{runner: r, words: s.Command, environment: s.Environment}).run, nil
	}
	return nil, fmt.Errorf("there is no hook type %q", plain(s.Type))
}
