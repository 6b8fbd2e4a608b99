package rollout

import (
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

// Lines prints events for people, and a plan only if it differs from the last one.
func Lines(out io.Writer) func(Event) {
	shown := ""
	return func(e Event) {
		switch e.Kind {
		case "plan":
			fmt.Fprintf(out, "\nPlan %d: %s would change\n", e.Apply, text.Count(int64(e.Changes), "resource"))
			if described := Printable(planview.Terminal(e.Plan.View)); described != shown {
				shown = described
				fmt.Fprintf(out, "\n%s\n", described)
			}
		case "apply":
			fmt.Fprintf(out, "Apply %d\n", e.Apply)
		case "progress":
			fmt.Fprintln(out, "  "+e.Message)
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

// Summary appends Markdown to a file: each plan that is applied, and the outcome.
func Summary(out io.Writer) func(Event) {
	var plan *Plan
	return func(e Event) {
		switch e.Kind {
		case "plan":
			plan = e.Plan
		case "apply":
			fmt.Fprintf(out, "## Apply %d\n\n%s\n", e.Apply, planview.Markdown(plan.View))
		case "failed", "refused", "unasked":
			title := map[string]string{"failed": "It failed", "refused": refused, "unasked": unasked}[e.Kind]
			fmt.Fprintf(out, "%s:\n\n```text\n%s\n```\n\n", title, strings.ReplaceAll(e.Message, "```", "'''"))
		case "end":
			fmt.Fprintf(out, "**%s**: %s\n", e.Outcome, planview.Plain(e.Message))
		}
	}
}
