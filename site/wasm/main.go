//go:build js

// Command wasm is the planner for the page, with the drawing of plans.
package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/playground"
)

// answer is the result for the page, as JSON.
type answer struct {
	Error    string `json:"error,omitempty"`
	Article  string `json:"article"`            // HTML, with all foreign texts escaped
	Markdown string `json:"markdown,omitempty"` // for a plan
	playground.Result
}

func main() {
	js.Global().Set("stackpolicy", js.ValueOf(map[string]any{
		"play": function(play),
		"view": function(view),
	}))
	js.Global().Call("dispatchEvent", js.Global().Get("Event").New("planner"))
	select {}
}

// function makes a function of JavaScript, from a string to a string.
func function(f func(string) (answer, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || args[0].Type() != js.TypeString {
			return `{"error": "give one string"}`
		}
		a, err := f(args[0].String())
		if err != nil {
			a = answer{Error: err.Error()}
		}
		text, err := json.Marshal(a)
		if err != nil {
			return fmt.Sprintf(`{"error": %q}`, err)
		}
		return string(text)
	})
}

// play answers a state of the playground.
func play(text string) (answer, error) {
	var state struct {
		playground.State
		Narrow bool `json:"narrow"`
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		return answer{}, fmt.Errorf("the state of the playground cannot be read: %w", err)
	}
	r, err := playground.Play(state.State)
	article := planview.Article(planview.Plan{Attachments: []planview.Attachment{r.Drawing}}, state.Narrow)
	return answer{Article: article, Result: r}, err
}

// view answers a plan.
func view(text string) (answer, error) {
	plan, err := planview.Read([]byte(text))
	return answer{Article: planview.Article(plan, false), Markdown: planview.Markdown(plan)}, err
}
