// Command mutate puts in faults that people thought of, one at a time, and runs the tests that must notice them. A
// fault that no test notices is a gap in the tests.
//
//	go run ./tools/mutate [-only TEXT] [-third NUMBER]
package main

import (
	"flag"
	"fmt"
	"os"
)

const table = "tools/mutate/faults.txt"

func main() {
	only := flag.String("only", "", "of the faults, those with this text in their title or file")
	third := flag.Int("third", -1, "each third fault alone: three consecutive numbers have all")
	flag.Parse()
	survived, err := testFaults(table, *only, *third)
	if err == nil && survived > 0 {
		err = fmt.Errorf("no test notices %d faults", survived)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
