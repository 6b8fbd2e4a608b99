// Command plots draws pictures and a worked example for the guides. It derives all of them from the planner and from
// the tree. It writes them into assets/, from the folder of go.mod; "make plots" runs it. The other pictures in that
// folder are drawn by hand.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/planview"
)

func main() {
	if err := write("assets", "."); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

// write draws everything into a folder, from the tree at top.
func write(dir, top string) error {
	steps := filepath.Join(top, "examples/guides/from-element/steps.txt") // the table of the guide
	plans := filepath.Join(top, "internal/planview/testdata")
	files := map[string]func() (string, error){
		"growth.svg":  growth,
		"senlin.svg":  beforeAndAfter,
		"element.svg": func() (string, error) { return destroyed(steps) },
		"worked.txt":  worked,
		"plan.svg":    func() (string, error) { return plan(filepath.Join(plans, "batch.json")) },
		"house.svg":   func() (string, error) { return house(top) },
	}
	for name, draw := range files {
		text, err := draw()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// plan draws a plan as the command planview does.
func plan(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	parsed, err := planview.Read(text)
	return planview.SVG(parsed), err
}
