package rollout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

const (
	refused = "The policy refuses the plan"
	unasked = "No node change asks for this"
)

// JSON prints one event a line.
func JSON(out io.Writer) func(Event) {
	encoder := json.NewEncoder(out)
	return func(e Event) { _ = encoder.Encode(e) }
}

// Lines prints events for people. The progress of an apply is a bar on a terminal, which is drawn again and again,
// and a line for each resource in a log.
func Lines(out io.Writer, terminal bool) func(Event) {
	changes, ready, bar := 0, 0, false
	return func(e Event) {
		if bar && e.Kind != "progress" {
			fmt.Fprintln(out)
			bar = false
		}
		switch e.Kind {
		case "plan":
			fmt.Fprintf(out, "\nPlan %d: %s\n", e.Apply, text.Count(int64(e.Changes), "resource")+" would change")
			drawn := Printable(drawing(e.Plan, planview.Terminal))
			fmt.Fprint(out, drawn)
			for _, c := range e.Clusters {
				if drawn == "" || c.Moves == "" { // the drawing begins with the moves
					fmt.Fprintln(out, "  "+c.line())
				}
				if drawn != "" { // it says which nodes are held
					continue
				}
				for _, held := range c.Held {
					fmt.Fprintln(out, "    held: "+held)
				}
			}
		case "apply":
			changes, ready = e.Changes, 0
			fmt.Fprintf(out, "Apply %d\n", e.Apply)
		case "progress":
			if ready++; !terminal {
				fmt.Fprintln(out, "  "+e.Message)
				return
			}
			bar = true
			fmt.Fprint(out, "\r  "+progressBar(ready, max(changes, ready)))
		case "applied":
			fmt.Fprintf(out, "Apply %d is done\n", e.Apply)
		case "failed":
			fmt.Fprintf(out, "Apply %d failed\n\n%s\n\n", e.Apply, e.Message)
		case "refused":
			fmt.Fprintf(out, "%s:\n%s\n", refused, e.Message)
		case "unasked":
			fmt.Fprintf(out, "%s:\n%s\n", unasked, e.Message)
		case "wait":
			fmt.Fprintln(out, "Waits: "+e.Message)
		case "end":
			fmt.Fprintf(out, "\n%s: %s\n", e.Outcome, e.Message)
		}
	}
}

// line says what a plan does to a cluster or, if it does nothing, the status of the cluster.
func (c Cluster) line() string {
	return c.Name + ": " + cmp.Or(c.Moves, c.Status, "known after the apply")
}

// progressBar draws how many of all are ready.
func progressBar(ready, all int) string {
	const width = 30
	filled := width * ready / all
	return fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", filled), strings.Repeat(".", width-filled), ready, all)
}

// drawing returns the plan in a form of planview, with its warnings, or "" if it changes nothing.
func drawing(p *Plan, form func(planview.Plan) string) string {
	if p == nil || !p.changed() {
		return ""
	}
	return "\n" + form(p.View) + "\n"
}

// Summary appends Markdown to a file: each plan that is applied, and the outcome.
func Summary(out io.Writer) func(Event) {
	var plan *Plan
	return func(e Event) {
		switch e.Kind {
		case "plan":
			plan = e.Plan
		case "apply":
			fmt.Fprintf(out, "## Apply %d\n%s\n", e.Apply, drawing(plan, planview.Markdown))
		case "failed", "refused", "unasked":
			title := map[string]string{"failed": "It failed", "refused": refused, "unasked": unasked}[e.Kind]
			fmt.Fprintf(out, "%s:\n\n```text\n%s\n```\n\n", title, strings.ReplaceAll(e.Message, "```", "'''"))
		case "end":
			fmt.Fprintf(out, "**%s**: %s\n", e.Outcome, planview.Plain(e.Message))
		}
	}
}
