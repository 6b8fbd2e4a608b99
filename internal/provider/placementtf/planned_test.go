package placementtf_test

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attributes are arguments that a test gives.
type attributes = protocol.Attributes

// unchecked is the warning of a batch whose servers nothing asks.
const unchecked = "update.require_in_service: ACTIVE is taken for service"

// plannedCase is a plan of an attachment, and everything that a user sees of it.
type plannedCase struct {
	before  attributes                 // configuration to apply first; nil: the attachment is new
	happens func(*testing.T, attached) // event before the plan
	unseen  bool                       // whether no refresh sees the event
	config  attributes                 // configuration to plan
	back    attributes                 // configuration that the error advises; nil: the one before

	nodes  string // nodes of the plan, by their places; "": there is no plan
	change string // +made <back -removed ~changed in place
	at     string // all diagnostics
	says   string // part of the diagnostics
	asks   string // requests of the plan
	shows  string // part of the summary
}

// plan makes the plan, and compares all its results.
func (c plannedCase) plan(t *testing.T, name string) {
	t.Helper()
	a := begin(t)
	if c.before != nil {
		a.Must(t, c.before)
	}
	if c.happens != nil {
		c.happens(t, a)
		a.Later(t)
	}
	if c.before != nil && !c.unseen {
		a.Look(t)
		a.Later(t)
	}
	a.Fake.ResetRequests()
	resp, err := a.Plan(t.Context(), a.Request(a.I, c.config))
	assert.Equal(t, c.at, a.At(), "%s: said %s", name, a.Said())
	assert.Contains(t, a.Said(), c.says, name)
	assert.Equal(t, c.asks, asked(a.Fake), "%s: asks", name)
	assert.Equal(t, c.nodes != "", err == nil, "%s: %v", name, err)
	if err != nil && c.before != nil && !strings.Contains(c.at, "Unable to") { // the way out
		back := c.back
		if back == nil {
			back = c.before
		}
		a.Later(t)
		_, err = a.Plan(t.Context(), a.Request(a.I, back))
		require.NoError(t, err, "%s: as the error says", name)
		return
	}
	if err != nil || c.nodes == "" {
		return
	}
	state := protocol.Object(a.Planned(resp))
	assert.Equal(t, c.nodes, settled(state["nodes"]), "%s: the nodes", name)
	assert.Equal(t, c.change, changed(state["change"]), "%s: the change", name)
	assert.Contains(t, strings.Join(strings.Fields(protocol.Shown(state["summary"])), " "), c.shows, "%s: the summary", name)
}

// planEach makes each plan, in a cloud of its own.
func planEach(t *testing.T, cases map[string]plannedCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.plan(t, name)
		})
	}
}

// asked returns the requests that were made, without the login and without repetitions.
func asked(fake *fakecloud.Cloud) string {
	all := map[string]bool{}
	for _, r := range fake.Requests() {
		switch {
		case r.Service == fakecloud.Images && strings.Contains(r.Path, "/images"):
			all["images"] = true
		case r.Service == fakecloud.Compute && r.Path != "/":
			all[r.Region+strings.TrimSuffix(r.Path, "/detail")] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), " ")
}

// settled returns nodes by their places: "RegionOne/az-1: web-0 web-2; RegionTwo: web-1".
func settled(nodes tftypes.Value) string {
	if !nodes.IsKnown() {
		return "unknown"
	}
	at := map[string][]string{}
	for name, node := range protocol.Object(nodes) {
		fields := protocol.Object(node)
		place := strings.TrimSuffix(protocol.Shown(fields["region"])+"/"+protocol.Shown(fields["zone"]), "/")
		at[place] = append(at[place], name)
	}
	var lines []string
	for _, place := range slices.Sorted(maps.Keys(at)) {
		slices.Sort(at[place])
		lines = append(lines, place+": "+strings.Join(at[place], " "))
	}
	return strings.Join(lines, "; ")
}

// signs are the signs of what a plan does to nodes, in order.
var signs = []struct{ word, sign string }{{"returns", "<"}, {"leaves", "-"}, {"changes", "~"}}

// changed returns a change in one line, such as "<web-4 -web-1".
func changed(change tftypes.Value) string {
	if !change.IsKnown() || change.IsNull() {
		return protocol.Shown(change)
	}
	told := byNode(change)
	names := slices.SortedFunc(maps.Keys(told), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	var all []string
	for _, s := range signs {
		for _, name := range names {
			if does, _, _ := strings.Cut(told[name], ":"); does == s.word || does+"s" == s.word {
				all = append(all, s.sign+name)
			}
		}
	}
	return strings.Join(all, " ")
}

var (
	heading = regexp.MustCompile(`^((?:[\w.{}-]+-\d+(?:, | to )?)+)(?: |: )(.*)$`)
	run     = regexp.MustCompile(`^(.*-)(\d+) to .*-(\d+)$`)
)

// byNode returns what the lines of change or held say of each node that they name: what happens to it, if anything, and why.
func byNode(lines tftypes.Value) map[string]string {
	told := map[string]string{}
	var values []tftypes.Value
	_ = lines.As(&values)
	for _, v := range values {
		line := protocol.Text(v)
		m := heading.FindStringSubmatch(strings.NewReplacer(" comes back", " returns", " come back", " return").Replace(line))
		if m == nil {
			told[line] = line
			continue
		}
		for name := range strings.SplitSeq(m[1], ", ") {
			if r := run.FindStringSubmatch(name); r != nil {
				first, _ := strconv.Atoi(r[2])
				last, _ := strconv.Atoi(r[3])
				for i := first; i <= last; i++ {
					told[r[1]+strconv.Itoa(i)] = m[2]
				}
			} else {
				told[name] = m[2]
			}
		}
	}
	return told
}

// movesOf returns what the last plan does to the nodes that were there: "web-0 leaves; web-1 changes".
func movesOf(state map[string]tftypes.Value) string {
	var lines []tftypes.Value
	_ = state["change"].As(&lines)
	heads := make([]string, len(lines))
	for i, line := range lines {
		heads[i], _, _ = strings.Cut(protocol.Text(line), ":")
	}
	return strings.Join(heads, "; ")
}

// works returns the computed attributes in one line.
func works(state tftypes.Value) string {
	all := protocol.Object(state)
	var parts []string
	for _, name := range []string{"nodes", "slots", "next_index", "distribution", "change", "remaining", "status", "summary"} {
		text := protocol.Shown
		if name == "change" {
			text = changed
		}
		parts = append(parts, name+"="+text(all[name]))
	}
	return strings.Join(parts, " ")
}
