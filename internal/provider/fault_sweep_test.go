package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trial is one run of an operation, on a cloud of its own.
type trial struct {
	*world
	provider *protocol.Provider
	injected *fakecloud.Injected
	here     instance // instance before the operation
	groups   []string // ids of server groups before the operation
	got      instance
	err      error
}

// prepare makes all that an operation needs, and injects a fault, unless the target is
// zero.
func (o operation) prepare(ctx context.Context, l limits, g target, f fakecloud.Fault) (*trial, error) {
	w, err := newWorld(l)
	if err != nil {
		return nil, err
	}
	t := &trial{world: w}
	if o.before != nil {
		p, err := w.connect(ctx, patient)
		if err != nil {
			return t, err
		}
		if t.here, err = o.before(ctx, p, w, t.here); err != nil {
			return t, fmt.Errorf("before the operation: %w", err)
		}
	}
	w.fake.ResetRequests()
	if g.Method != "" {
		t.injected = w.fake.Inject(f)
	}
	w.consume()
	t.groups = w.groups()
	t.provider, err = w.connect(ctx, l)
	return t, err
}

// run runs the operation.
func (o operation) run(ctx context.Context, t *trial) {
	t.got, t.err = o.do(ctx, t.provider, t.world, t.here)
}

// again runs the operation once more without the fault, as the next apply does.
func (o operation) again(ctx context.Context, t *trial) error {
	t.injected.Remove()
	p, err := t.connect(ctx, patient)
	if err == nil {
		t.got, err = o.do(ctx, p, t.world, t.got)
	}
	return err
}

// shown returns a state without its random values.
func shown(i instance) string {
	if i.State.Type() == nil {
		return "nothing"
	}
	text := fmt.Sprint(i.State)
	text = regexp.MustCompile(`"timeout":tftypes.String<"\d+">`).ReplaceAllString(text, "*") // depends on limits
	text = regexp.MustCompile(`http://127.0.0.1:\d+`).ReplaceAllString(text, "*")
	return regexp.MustCompile(`server_group_[a-z0-9]+`).ReplaceAllString(text, "server_group_*")
}

// baseline runs an operation without faults, and returns its requests.
func (o operation) baseline(t *testing.T) (*trial, []target) {
	t.Helper()
	b, err := o.prepare(t.Context(), patient, target{}, fakecloud.Fault{})
	require.NoError(t, err, o.name)
	if o.run(t.Context(), b); b.err != nil {
		t.Fatalf("%s: %v", o.name, b.err)
	}
	b.fake.Close()
	var targets []target
	for _, r := range b.fake.Requests() {
		g := target{r, 1}
		for _, other := range targets {
			if g.same(other.Request) {
				g.nth++
			}
		}
		targets = append(targets, g)
	}
	return b, targets
}

// TestFaultSweep makes each request of each operation go wrong in each way, once
// and for ever. The operation overcomes the fault, with the same result, or reports it;
// it overcomes a passing fault of a request that is safe to repeat. Nothing is made
// twice or left behind, except for a server group that the error names, nothing of others is
// deleted, and once the fault is over the same operation succeeds.
func TestFaultSweep(t *testing.T) {
	runs.In(t, runs.Sweep)
	t.Parallel()
	var wait sync.WaitGroup
	var cases []sweepCase
	for _, o := range operations() {
		base, targets := o.baseline(t)
		cases = append(cases, sweepCases(o, base, targets)...)
	}
	// Some cases wait for a timeout, and the others must not keep the processor so
	// busy that the timeout hits a request that does not hang. See [sweepCase.try] too.
	slots := map[bool]chan struct{}{true: make(chan struct{}, 256), false: make(chan struct{}, 24)}
	for _, c := range cases {
		wait.Go(func() {
			slot := slots[c.fault.Effect == fakecloud.Hang || c.asksHook()]
			slot <- struct{}{}
			defer func() { <-slot }()
			c.try(t)
		})
	}
	wait.Wait()
}

// sweepCase is one operation with one fault.
type sweepCase struct {
	operation
	base   *trial
	target target
	label  string
	fault  fakecloud.Fault

	patience int // factor of the usual limits
}

// sweepCases returns the cases of an operation.
func sweepCases(o operation, base *trial, targets []target) (cases []sweepCase) {
	for _, g := range targets {
		for _, f := range faults {
			fault := f.fault(g.Request)
			switch {
			case g.Method == http.MethodGet && strings.HasSuffix(f.name, " after"):
				continue // to the client it looks as if the service had not acted
			case f.name == "endless list" && (endless(g.Request) == "" || len(g.Query) > 0):
				continue // the fault begins with the first page of a list
			}
			for _, name := range []string{"once", "for ever"} {
				times := map[string]int{"once": 1, "for ever": fakecloud.Forever}[name]
				if f.name == "endless list" && times == 1 {
					continue // a page that is wrong once looks like a right one
				}
				label := fmt.Sprintf("%s: %s %s of %s (%d)", o.name, f.name, name, g.Request, g.nth)
				cases = append(cases, sweepCase{o, base, g, label, g.aim(fault, times), 1})
			}
		}
	}
	return cases
}

// reporter is what a case reports to.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Context() context.Context
}

// noted keeps a report to itself.
type noted struct {
	*testing.T
	failed bool
}

func (n *noted) Errorf(string, ...any) { n.failed = true }

// try runs a case. Its limits are short, and a busy machine exceeds them although
// nothing hangs. So a case that fails is tried again, with limits that only a hang
// reaches.
func (c sweepCase) try(t *testing.T) {
	first := &noted{T: t}
	if c.run(first); first.failed {
		t.Logf("%s: again, with more time", c.label)
		c.patience = 10
		c.run(t)
	}
}

// run runs the case once.
func (c sweepCase) run(t reporter) {
	r, err := c.prepare(t.Context(), c.limits(), c.target, c.fault)
	if err != nil {
		t.Errorf("%s: %v", c.label, err)
		return
	}
	defer r.fake.Close()
	c.operation.run(t.Context(), r)
	assert.NotZero(t, r.injected.Fired(), "%s: the fault hit nothing", c.label)
	assert.LessOrEqual(t, c.hits(r), c.most(), "%s: requests", c.label)
	if r.err != nil {
		c.checkError(t, r.err)
	}
	assert.False(t, r.err != nil && c.passes(), "%s: it is not overcome: %v", c.label, r.err)
	c.checkEnd(t, r)
}

// passes reports whether the fault is over when the request is repeated, and the request
// may be repeated: by its method, or because the cloud took nothing of it.
func (c sweepCase) passes() bool {
	f, hook := c.fault, c.target.Service == ""
	again := f.Effect == fakecloud.Reset || f.Effect == fakecloud.Truncate || f.Status >= http.StatusBadRequest
	return f.Times == 1 && !hook && (again && c.target.Method != http.MethodPost || f.Status == http.StatusTooManyRequests)
}

// limits returns short limits for faults that end only with them, and so far apart that
// a busy processor does not change the outcome.
func (c sweepCase) limits() limits {
	l := patient
	if c.fault.Times == fakecloud.Forever {
		l.hook = 12
	}
	if c.fault.Effect == fakecloud.Hang {
		l.request = 4
		if c.asksHook() {
			l.request = 10 // twice as much is more than the hook's limit
		}
	}
	l.hook, l.request = l.hook*c.patience, l.request*c.patience
	return l
}

// checkEnd compares the end with the end of the operation without a fault: at once, or
// after another apply.
func (c sweepCase) checkEnd(t reporter, r *trial) {
	t.Helper()
	overcame := r.err == nil
	if !overcame {
		if err := c.again(t.Context(), r); err != nil {
			t.Errorf("%s: the next apply fails: %v", c.label, err)
		}
	} else if got, want := shown(r.got), shown(c.base.got); got != want {
		t.Errorf("%s: got %s\nwant %s", c.label, got, want)
	}
	// An error names a group that may have been made, and nobody else knows its name.
	named := regexp.MustCompile(`the server group "(server_group_\w+)" was made`).FindStringSubmatch(fmt.Sprint(r.err))
	got, want := r.world.groups(named...), c.base.world.groups()
	if len(got) != len(want) || overcame && !slices.Equal(got, want) {
		t.Errorf("%s: there are the groups %v, want %v", c.label, got, want)
	}
	for _, id := range r.groups {
		assert.True(t, slices.Contains(got, id) || !slices.Contains(want, id), "%s: the group %s is gone", c.label, id)
	}
	assert.Zero(t, r.fake.Count("DELETE compute /servers/*"), "%s: a server was deleted", c.label)
}

// hits counts the requests of the target's kind.
func (c sweepCase) hits(r *trial) (n int) {
	for _, got := range r.fake.Requests() {
		if c.target.same(got) {
			n++
		}
	}
	return n
}

// most returns the maximum number of requests of the target's kind: as many as without
// the fault, each repeated once, which is what the provider block allows.
func (c sweepCase) most() int {
	most := 2 * c.hits(c.base)
	if c.fault.Effect == fakecloud.Reset {
		most *= 4 // net/http repeats a request on a closed idle connection, of which there are up to three
	}
	if c.asksHook() {
		most *= 12*c.patience + 1 // once a second, for twelve seconds
	}
	return most
}

// asksHook reports whether a request is repeated until the timeout of the hook, or of
// the wait for a new server.
func (c sweepCase) asksHook() bool {
	waited := strings.HasPrefix(c.name, "readiness_attachment") && strings.HasPrefix(c.target.Path, "/servers/") && c.target.Path != "/servers/detail"
	return c.target.Service == "" || waited
}

// wordings are the words for a request in errors, by the beginning of its path.
var wordings = map[string]string{
	"auth": "log in at", "regions": "region", // Keystone may list no regions, so that one is unknown
	"": "find the microversions of Nova", "limits": "get the project's limits",
	"flavors": "get the flavor", "os-availability-zone": "list availability zones", "os-hypervisors": "hypervisors", "os-server-groups": "server group",
	"servers": "server", "images": "the image", "hook": "the webhook at", "health": "GET http://",
}

// checkError fails unless an error has what a user needs, the region and the request,
// and no secret.
func (c sweepCase) checkError(t reporter, err error) {
	t.Helper()
	text := err.Error()
	wording := wordings[strings.Split(c.target.Path, "/")[1]]
	if wording == "" || !strings.Contains(strings.ToLower(text), strings.ToLower(wording)) || !strings.Contains(text, c.target.Region) {
		t.Errorf("%s: the error names no region or request: %s", c.label, text)
	}
	if strings.Contains(text, "hidden") || strings.Contains(text, fakecloud.Password) || c.target.Token != "" && strings.Contains(text, c.target.Token) {
		t.Errorf("%s: the error shows a secret: %s", c.label, text)
	}
}
