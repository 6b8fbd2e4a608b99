// Command mutate breaks Go files in small ways, one at a time, and runs the
// tests of their packages. A change that no test notices is reported: it is a
// gap in the tests, or makes no difference, in which case equivalent.txt says
// why.
//
//	go run ./tools/mutate internal/placement internal/request/resize.go
//
// A file is tested by the tests in its own _test.go, a folder by all of its tests.
// All mutants of a package are in one test binary, and an environment variable
// chooses one of them, so that a mutant costs no more than a run of the tests. At
// first each test runs alone, and notes which mutants it comes by: only those tests
// are run with a mutant, the quick ones first, and the first that fails is the
// last. A mutant that no test comes by survives at once.
//
// With -report a table of all folders is kept in a file, and those that survived:
// only those that were not in it before are a failure.
//
// With -faults it puts in faults that people thought of, each in a test binary of
// its own, and runs the tests that must notice it.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	workers := flag.Int("workers", 1, "mutants to test at a time")
	except := flag.String(
		"equivalent",
		"tools/mutate/equivalent.txt",
		"mutants that make no difference, with the reasons",
	)
	written := flag.String("report", "", "where the results of all folders are kept")
	every := flag.Int("sample", 1, "take one mutant of so many")
	tests := flag.String("run", "", "a pattern of the tests to run; without it all")
	skip := flag.String(
		"skip",
		"^TestLargeTemplate$",
		"a pattern of tests to leave out: those that count allocations, of which mutants make more",
	)
	faults := flag.String("faults", "", "a table of faults to put in instead, see faults.go")
	only := flag.String("only", "", "of the faults, those with this text in their title or file")
	flag.Parse()
	if *faults != "" {
		survived, err := testFaults(*faults, *only)
		if err == nil && survived > 0 {
			err = fmt.Errorf("no test notices %d faults", survived)
		}
		if err != nil {
			fail(err)
		}
		return
	}
	known, err := readEquivalent(*except)
	if err != nil {
		fail(err)
	}
	rows, err := readReport(*written)
	if err != nil {
		fail(err)
	}
	survivors, total := 0, 0
	for _, target := range flag.Args() {
		r, err := testTarget(target, *tests, *skip, *every, *workers, known)
		if err != nil {
			fail(err)
		}
		fresh := r.since(rows[folderOf(target)])
		rows[folderOf(target)] = r
		fmt.Printf(
			"%s: %d mutants, %d tried, %d noticed, of which %d because the tests did not end, %d equivalent, %d "+
				"survived\n",
			target,
			r.made,
			r.tried(),
			r.noticed,
			r.endless,
			r.equivalent,
			len(r.survived),
		)
		if err := rows.write(*written); err != nil {
			fail(err)
		}
		survivors += fresh
		total += r.tried()
	}
	for text, unused := range known {
		if unused > 0 && *every == 1 && covers(flag.Args(), text) {
			fmt.Println("no such survivor any more:", text)
			survivors++
		}
	}
	if survivors > 0 {
		fail(fmt.Errorf("%d to look at, of %d mutants", survivors, total))
	}
}

// moduleTests are those that put the example module to work.
const moduleTests = "^(TestModule.*|TestAccExample_cluster.*)$"

// testTarget tests a folder, a file of Go, or one of HCL.
func testTarget(target, tests, skip string, every, workers int, known map[string]int) (result, error) {
	dir, file := target, ""
	switch filepath.Ext(target) {
	case ".tf":
		return testHCL(target, "./examples", cmp.Or(tests, moduleTests), every)
	case ".go":
		dir, file = filepath.Split(target)
	}
	p, err := load(filepath.Clean(dir), file)
	if err != nil {
		return result{}, err
	}
	if p.skip, err = regexp.Compile(cmp.Or(skip, "^$")); err != nil {
		return result{}, err
	}
	p.tests = cmp.Or(tests, p.tests)
	p.sample(every)
	return p.test(workers, known)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutate:", err)
	os.Exit(1)
}

// covers reports whether a line of the list is about one of the targets.
func covers(targets []string, text string) bool {
	return slices.ContainsFunc(targets, func(t string) bool { return strings.HasPrefix(text, filepath.Clean(t)) })
}

// readEquivalent counts the mutants of a list. Each has a line: "file: function:
// before -> after # reason".
func readEquivalent(path string) (map[string]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := map[string]int{}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, reason, _ := strings.Cut(line, " # ")
		if reason == "" {
			return nil, fmt.Errorf("%s: no reason in %q", path, line)
		}
		known[strings.TrimSpace(text)]++
	}
	return known, lines.Err()
}

// result is what became of the mutants of a package.
type result struct {
	made, noticed, endless, equivalent int
	survived                           []string
}

func (r result) tried() int { return r.noticed + r.equivalent + len(r.survived) }

// since counts those that did not survive before.
func (r result) since(before result) (fresh int) {
	known := map[string]int{}
	for _, m := range before.survived {
		known[m]++
	}
	for _, m := range r.survived {
		if known[m]--; known[m] < 0 {
			fresh++
		}
	}
	return fresh
}
