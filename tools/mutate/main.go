// Command mutate breaks Go files in small ways, one at a time, and runs the
// tests of their packages. A change that no test notices is reported: it is a
// gap in the tests, or makes no difference, in which case equivalent.txt says
// why.
//
//	go run ./tools/mutate internal/placement internal/request/resize.go
//
// A file is tested by the tests in its own _test.go, a folder by all of its tests.
// All mutants of a package are in one test binary, and an environment variable
// chooses one of them, so that a mutant costs no more than a run of the tests. The
// quick tests are run first, and the first that fails is the last.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	workers := flag.Int("workers", 1, "mutants to test at a time")
	except := flag.String("equivalent", "tools/mutate/equivalent.txt", "mutants that make no difference, with the reasons")
	flag.Parse()
	known, err := readEquivalent(*except)
	if err != nil {
		fail(err)
	}
	survivors, total := 0, 0
	for _, target := range flag.Args() {
		dir, file := target, ""
		if strings.HasSuffix(target, ".go") {
			dir, file = filepath.Split(target)
		}
		p, err := load(filepath.Clean(dir), file)
		if err != nil {
			fail(err)
		}
		left, err := p.test(*workers, known)
		if err != nil {
			fail(err)
		}
		fmt.Printf("%s: %d mutants, %d noticed, of which %d because the tests did not end, %d equivalent, %d survived\n",
			target, len(p.mutants), left.noticed, left.endless, left.equivalent, left.survived)
		survivors += left.survived
		total += len(p.mutants)
	}
	for text, unused := range known {
		if unused > 0 && covers(flag.Args(), text) {
			fmt.Println("no such survivor any more:", text)
			survivors++
		}
	}
	if survivors > 0 {
		fail(fmt.Errorf("%d to look at, of %d mutants", survivors, total))
	}
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

// result counts what became of the mutants of a package.
type result struct{ noticed, endless, equivalent, survived int }

// test runs the tests against each mutant, and prints the survivors.
func (p *pkg) test(workers int, known map[string]int) (result, error) {
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(temp)
	binary, err := p.build(temp)
	if err != nil {
		return result{}, err
	}
	out, took, err := p.run(binary, 0, p.tests, time.Minute)
	if err != nil {
		return result{}, fmt.Errorf("%s: the tests fail without a mutant: %w\n%s", p.dir, err, out)
	}
	limit := (10*took + 3*time.Second).Truncate(time.Second)
	quick, slow := bySpeed(out)
	var lock sync.Mutex
	var group sync.WaitGroup
	var r result
	queue := make(chan mutant)
	for range workers {
		group.Go(func() {
			for m := range queue {
				_, took, err := p.run(binary, m.id, quick, limit)
				if err == nil {
					_, took, err = p.run(binary, m.id, slow, limit)
				}
				lock.Lock()
				switch {
				case err != nil && took > limit*9/10:
					r.endless++
					r.noticed++
				case err != nil:
					r.noticed++
				case known[m.key()] > 0:
					known[m.key()]--
					r.equivalent++
				default:
					fmt.Println("survived:", m)
					r.survived++
				}
				lock.Unlock()
			}
		})
	}
	for _, m := range p.mutants {
		queue <- m
	}
	close(queue)
	group.Wait()
	return r, nil
}

// build makes the test binary with all mutants in it.
func (p *pkg) build(temp string) (string, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	p.files["mutants_of_tools_mutate.go"] = fmt.Sprintf(runtimeSource, p.name)
	for name, text := range p.files {
		path := filepath.Join(temp, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
		at, err := filepath.Abs(filepath.Join(p.dir, name))
		if err != nil {
			return "", err
		}
		overlay.Replace[at] = path
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file, binary := filepath.Join(temp, "overlay.json"), filepath.Join(temp, "tests")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(context.Background(), "go", "test", "-c", "-vet=off", "-overlay", file, "-o", binary, "./"+p.dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

// bySpeed makes patterns of the quick tests and of the others, from what the tests
// print about themselves.
func bySpeed(out string) (quick, slow string) {
	var names [2][]string
	for _, m := range regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+)s\)`).FindAllStringSubmatch(out, -1) {
		class := 0
		if seconds, err := strconv.ParseFloat(m[2], 64); err != nil || seconds > 0.02 {
			class = 1
		}
		names[class] = append(names[class], m[1])
	}
	return pattern(names[0]), pattern(names[1])
}

func pattern(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// run runs tests with one mutant; 0 is none. The limit is in time of the CPU,
// which does not depend on what else the machine does.
func (p *pkg) run(binary string, id int, tests string, limit time.Duration) (out string, took time.Duration, err error) {
	args := []string{"-c", `ulimit -t "$0"; exec "$@"`, fmt.Sprint(int(limit / time.Second)), binary,
		"-test.v", "-test.failfast", "-test.run", tests}
	if p.rapid {
		args = append(args, "-rapid.seed=1", "-rapid.checks=300", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	// Tests that wait for each other use no CPU: they end after a while, too.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("MUTANT=%d", id), "GOMAXPROCS=1")
	text, err := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}

// runtimeSource is added to a package: what its mutants call.
const runtimeSource = `package %s

import "os"
import "strconv"

var activeMutant, _ = strconv.Atoi(os.Getenv("MUTANT"))

func mutantIs(id int) bool { return id == activeMutant }

func mutantOr[T any](id int, mutated, original func() T) T {
	if mutantIs(id) {
		return mutated()
	}
	return original()
}
`
