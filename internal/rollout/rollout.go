// Package rollout applies a configuration batch after batch until its placement attachments have nothing left to
// replace. It replaces a loop of the shell in a pipeline, and adds a policy that may refuse a plan, and an outcome
// that a machine can read.
//
// It stores nothing: all its state is in Terraform's state and in the cloud. So a new run continues after any end of
// the last one.
package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/duration"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/status"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Outcome is how a rollout ends.
type Outcome string

// The outcomes.
const (
	Done   Outcome = "done"   // nothing is left to replace
	Failed Outcome = "failed" // a plan or an apply failed
	Held   Outcome = "held"   // something is left, and no apply may replace it now
)

// Code returns the exit code of an outcome.
func (o Outcome) Code() int {
	switch o {
	case Done:
		return 0
	case Held:
		return 2
	}
	return 1
}

// Plan is a saved plan.
type Plan struct {
	File     string
	JSON     []byte    // output of "terraform show -json"
	Changes  []string  // address and actions of each resource that the plan changes, sorted
	Clusters []Cluster // placement attachments as they are after the plan

	View planview.Plan // what the plan does to clusters
}

// changed reports whether an apply would change a resource. A plan that changes only outputs makes no progress, and
// an output such as the present time changes with each apply.
func (p *Plan) changed() bool { return len(p.Changes) > 0 }

// Cluster is a placement attachment.
type Cluster struct {
	Address   string       `json:"address"`
	Name      string       `json:"cluster"`
	Remaining int64        `json:"remaining"`
	Phase     status.Phase `json:"phase"`            // phase after the apply of the plan
	Status    string       `json:"status"`           // the same for people
	Change    []string     `json:"change,omitempty"` // changes of nodes by the plan, by reason
	Held      []string     `json:"held,omitempty"`   // nodes that should be replaced and are not, by reason

	Pause time.Duration `json:"-"` // argument of its update
}

// is reports whether the status begins with one of the words.
func (c Cluster) is(phases ...status.Phase) bool { return slices.Contains(phases, c.Phase) }

// Terraform makes and applies plans.
type Terraform interface {
	Plan(ctx context.Context) (*Plan, error)
	// Apply applies a saved plan, and reports each resource that is done.
	Apply(ctx context.Context, plan *Plan, progress func(message string)) error
}

// Runner applies until nothing is left.
type Runner struct {
	Terraform  Terraform
	Policy     func(ctx context.Context, plan []byte) error // refuses a plan; may be nil
	Report     func(Event)
	MaxApplies int           // 0 means no limit
	MaxTime    time.Duration // time after which no other apply begins; 0 means no limit
	MaxWait    time.Duration // wait for nodes that are not in service, in addition to the pause of an update
	Poll       time.Duration // time between two plans during a wait
	Accept     []string      // addresses of resources that a plan may change although no node change needs it
}

// Event is a step of a run.
type Event struct {
	Time     time.Time `json:"time"`
	Kind     string    `json:"event"` // plan, unasked, refused, apply, progress, applied, failed, wait, end
	Apply    int       `json:"apply,omitempty"`
	Changes  int       `json:"changes,omitempty"` // number of resources that the plan changes
	Clusters []Cluster `json:"clusters,omitempty"`
	Message  string    `json:"message,omitempty"`
	Outcome  Outcome   `json:"outcome,omitempty"`
	Code     *int      `json:"exit_code,omitempty"`

	Plan *Plan `json:"-"` // plan of a plan event
}

// Run runs until nothing is left, something holds the rollout, or ctx ends. It finishes a running apply first, unless
// hard ends too.
func (r *Runner) Run(ctx, hard context.Context) Outcome {
	run := &run{Runner: r, began: time.Now(), last: time.Now()}
	outcome, why := run.all(ctx, hard)
	code := outcome.Code()
	if run.applies > 0 {
		applies := "1 apply"
		if run.applies > 1 {
			applies = fmt.Sprintf("%d applies", run.applies)
		}
		why += fmt.Sprintf(" (%s, %s)", applies, duration.Format(time.Since(run.began)))
	}
	r.report(Event{Kind: "end", Message: why, Outcome: outcome, Code: &code})
	return outcome
}

func (r *Runner) report(e Event) {
	e.Time, e.Message = time.Now().UTC(), Printable(e.Message)
	r.Report(e)
}

// Printable prepares a foreign text for a log: without escape sequences, and without the commands of GitHub, Azure
// and TeamCity.
func Printable(s string) string {
	lines := strings.Split(pipelines.ReplaceAllString(text.CleanLines(s), "# #$1"), "\n")
	for i, line := range lines {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), "::"); found {
			lines[i] = ": :" + rest
		}
	}
	return strings.Join(lines, "\n")
}

// pipelines matches commands that are recognized anywhere in a line.
var pipelines = regexp.MustCompile(`##(\w*\[)`)

// run is the state of a run.
type run struct {
	*Runner
	began   time.Time
	applies int
	applied []string  // changes of the plan that was applied last; nil before the first
	last    time.Time // end of the last apply, or start of the run
	left    *left     // rest after the last plan, if the next plan must leave less; otherwise nil
}

// left is the rest after a plan: nodes that still have to be replaced, and the changes of the plan.
type left struct{ nodes, changes int64 }

func leftOf(p *Plan) *left {
	l := left{changes: int64(len(p.Changes))}
	for _, c := range p.Clusters {
		l.nodes += c.Remaining
	}
	return &l
}

// makesProgress reports whether a plan leaves less than the plan whose apply failed. Then that apply did its work
// although it failed.
func (r *run) makesProgress(plan *Plan) bool {
	now := leftOf(plan)
	return r.left == nil || now.nodes < r.left.nodes || now.nodes == r.left.nodes && now.changes < r.left.changes
}

func (r *run) all(ctx, hard context.Context) (Outcome, string) {
	for {
		plan, err := r.Terraform.Plan(ctx)
		switch {
		case ctx.Err() != nil:
			return Held, "interrupted"
		case err != nil:
			return Failed, err.Error()
		}
		r.report(
			Event{Kind: "plan", Apply: r.applies + 1, Changes: len(plan.Changes), Clusters: plan.Clusters, Plan: plan},
		)
		if outcome, why := r.judge(plan); outcome != "" {
			return outcome, why
		}
		if !plan.changed() {
			r.pause(ctx, plan)
		} else if outcome, why := r.apply(ctx, hard, plan); outcome != "" {
			return outcome, why
		}
		if ctx.Err() != nil {
			return Held, "interrupted"
		}
	}
}

// judge ends the run, or returns "" if it continues: with an apply, or with a wait if the plan changes nothing.
func (r *run) judge(plan *Plan) (Outcome, string) {
	late := r.MaxTime > 0 && time.Since(r.began) >= r.MaxTime
	switch {
	case plan.changed() && !r.makesProgress(plan):
		return Failed, "the apply failed, and the next plan is no further"
	case plan.changed() && slices.Equal(plan.Changes, r.applied):
		return Failed, "the apply changed what it planned, and the next plan has the same changes again: " +
			text.Few(plan.Changes)
	case plan.changed() && r.MaxApplies > 0 && r.applies >= r.MaxApplies:
		return Held, fmt.Sprintf("-max-applies %d is reached", r.MaxApplies)
	case plan.changed() && late:
		return Held, "-max-time " + duration.Format(r.MaxTime) + " is over"
	case plan.changed():
		return "", ""
	}
	waited := time.Since(r.last)
	end, why := Done, "nothing is left to replace"
	for _, c := range plan.Clusters {
		says := c.Name + " " + c.Status
		switch {
		case c.is(status.Waits, status.Paused) && late:
			return Held, "-max-time " + duration.Format(r.MaxTime) + " is over; " + says
		case c.is(status.Waits, status.Paused) && waited < c.Pause+r.MaxWait:
			return "", ""
		case c.is(status.Waits, status.Paused):
			end, why = Held, "nothing changed for "+duration.Format(waited)+"; "+says
		case end == Held:
		case !c.is(status.InStep):
			end, why = Held, says
		}
	}
	return end, why
}

// apply applies a plan if node changes need all its changes, and the policy does not refuse it. It returns "" if the
// run continues.
func (r *run) apply(ctx, hard context.Context, plan *Plan) (Outcome, string) {
	if why := r.unasked(plan); why != "" {
		return Held, why
	}
	if r.Policy != nil {
		if err := r.Policy(ctx, plan.JSON); err != nil && ctx.Err() == nil {
			r.report(Event{Kind: "refused", Message: err.Error()})
			return Held, "the policy refuses the plan"
		}
	}
	if ctx.Err() != nil {
		return Held, "interrupted"
	}
	r.applies++
	r.report(Event{Kind: "apply", Apply: r.applies, Changes: len(plan.Changes)})
	err := r.Terraform.Apply(hard, plan, func(message string) {
		r.report(Event{Kind: "progress", Apply: r.applies, Message: message})
	})
	r.last = time.Now()
	if err == nil {
		r.applied, r.left = plan.Changes, nil
		r.report(Event{Kind: "applied", Apply: r.applies})
		return "", ""
	}
	r.report(Event{Kind: "failed", Apply: r.applies, Message: err.Error()})
	switch {
	case hard.Err() != nil:
		return Failed, "the apply was interrupted"
	case waited(err):
		return Failed, "the apply failed"
	}
	r.applied, r.left = nil, leftOf(plan)
	r.pause(ctx, plan)
	return "", ""
}

// unasked reports the changes of a plan that no node change needs, and returns why the plan is not applied, or "" if
// it is.
func (r *run) unasked(plan *Plan) string {
	var lines []string
	advice, accept := "", map[string][]string{} // instances by resource
	for _, s := range plan.View.Unasked() {
		resource := planview.Resource(s.Address)
		if !slices.Contains(r.Accept, s.Address) && !slices.Contains(r.Accept, resource) {
			lines, advice = append(lines, s.Address+" "+s.Text), cmp.Or(advice, s.Advice)
			accept[resource] = append(accept[resource], s.Address)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	r.report(Event{Kind: "unasked", Message: strings.Join(lines, "\n")})
	why := fmt.Sprintf("the plan changes %s although no node change asks for it. ",
		text.Count(int64(len(lines)), "resource"))
	if advice != "" {
		return why + advice
	}
	why += "Apply it by hand, or allow it with"
	for _, resource := range slices.Sorted(maps.Keys(accept)) {
		if len(accept[resource]) == 1 {
			resource = accept[resource][0]
		}
		why += " -accept '" + resource + "'"
	}
	return why
}

// waited reports whether an apply may have failed because servers did not get into service in time. Only readiness
// attachments note that in Nova.
func waited(err error) bool {
	failure, ok := errors.AsType[*FailedError](err)
	return !ok || slices.ContainsFunc(failure.Faults, func(f Fault) bool {
		return strings.Contains(f.Address, "stackpolicy_readiness_attachment.")
	})
}

// pause waits before the next plan, and says which clusters it waits for.
func (r *run) pause(ctx context.Context, plan *Plan) {
	said := []string{"next plan in " + duration.Format(r.Poll)}
	for _, c := range plan.Clusters {
		if !c.is(status.InStep) {
			said = append(said, c.Name+" "+c.Status)
		}
	}
	r.report(Event{Kind: "wait", Clusters: plan.Clusters, Message: strings.Join(said, "; ")})
	select {
	case <-ctx.Done():
	case <-time.After(r.Poll):
	}
}
