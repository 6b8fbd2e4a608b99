package drain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
	"github.com/stretchr/testify/assert"
)

// TestTurns: each row is what happens in turn to the turns of a cluster. "a" asks for the turn of a, "a!" is its end, "a?" its
// failure, and "3s" a time that passes. The answers come after a "-": "a" has a turn, and other answers are errors.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		what    string
		atOnce  int
		out     string // nodes that are out of service in the cloud
		events  string
		answers string
	}{
		{"all have room", 2, "", "a b", "a|b"},
		{"one waits for a turn that ends", 1, "", "a b 3s a!", "a|b"},
		{"its turn has begun", 1, "", "a a", "a|a"},
		{"a failure stops those that wait and come", 1, "", "a b a? d", "a|b: a failed in its turn: why|d: a failed in its turn: why"},
		{"another failure changes nothing", 2, "", "a b a? b? c", "a|b|c: a failed in its turn: why"},
		{"an earlier apply left room", 2, "x", "a b 3s a!", "a|b"},
		{"an earlier apply left no room", 1, "x", "a 6s", "a: x out of service, and at_once is 1"},
		{"a node that is out of service needs no room", 1, "x y", "x x!", "x"},
		{"and has a turn of its own", 1, "x y", "x y 3s x!", "x|y"},
		{"it comes while others wait for it", 1, "x", "a 2s x x!", "x|a"},
		{"a turn that does not end", 1, "", "a 30m b 31m", "a|b: the turn of a has not ended within 1h (turn_timeout)"},
		{"a cloud that does not answer", 1, "error", "a", "a: no answer"},
		{"an interrupt", 1, "", "a b stop", "a|b: interrupted"},
		{"a server that is out counts once", 2, "a", "a b", "a|b"},
		{"each turn asks the cloud", 3, "x y", "a b", "a"},
		{"the oldest turn is overdue first", 2, "", "a 30m b 20m c 11m", "a|b|c: the turn of a has not ended within 1h (turn_timeout)"},
		{"a slow look holds nobody", 2, "", "slow a 1m a! b", "a|b"},
		{"nor an interrupt", 1, "", "slow stop", "slow: interrupted"},
		{"a turn that began during a slow look counts", 1, "", "slow a 11m a! 10m", "a|slow"},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turns, answers, told := new(Turns), []string{}, ""
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				out, looks := map[string]string{}, 0
				for node := range strings.FieldsSeq(c.out) {
					out[node] = node
				}
				ask := func(node string) {
					answer, err := node, turns.Begin(ctx, Ask{Node: node, Server: node, AtOnce: c.atOnce, Limit: time.Hour,
						Tell: func(step string) { told += step },
						Out: func(ctx context.Context) (map[string]string, error) {
							looks++
							seen := maps.Clone(out)
							switch {
							case c.out == "error":
								return nil, errors.New("no answer")
							case node == "slow":
								return seen, wait.For(ctx, 10*time.Minute)
							}
							return seen, nil
						}})
					if err != nil {
						answer = fmt.Sprintf("%s: %v", node, err)
					} else {
						out[node] = node // its drain notes that
					}
					answers = append(answers, answer)
				}
				for event := range strings.FieldsSeq(c.events) {
					node := strings.TrimRight(event, "!?")
					switch d, err := time.ParseDuration(event); {
					case err == nil:
						time.Sleep(d)
					case event == "stop":
						stop(errors.New("interrupted"))
					case strings.HasSuffix(event, "!"):
						delete(out, node)
						turns.End(node)
					case strings.HasSuffix(event, "?"):
						turns.Stop(node, "why")
					default:
						go ask(node)
					}
					synctest.Wait()
				}
				assert.Equal(t, c.answers, strings.Join(answers, "|"))
				if c.what == "a turn that does not end" {
					assert.Equal(t, "waiting for a turn, for at most 30m: a out of service", told)
				}
				assert.LessOrEqual(t, looks, len(strings.Fields(c.events)), "looks at the cloud: none without room")
				stop(nil)
			})
		})
	}
}
