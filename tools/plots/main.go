// Command plots draws what the guides show of the planner: pictures and a
// worked example, all of it worked out by the planner itself. It writes them
// into assets/, from the folder of go.mod; "make plots" runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("assets", "examples/guides/from-element/steps.txt"); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

// write draws into a folder. Steps is the table of the guide from-element.
func write(dir, steps string) error {
	files := map[string]func() (string, error){
		"growth.svg":  growth,
		"senlin.svg":  beforeAndAfter,
		"element.svg": func() (string, error) { return destroyed(steps) },
		"worked.txt":  worked,
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
