// Command mutate breaks Go files in small ways, one at a time, and runs the
// tests of their packages. A change that no test notices is reported: it is a
// gap in the tests, or makes no difference, in which case equivalent.txt says
// why.
//
//	go run ./tools/mutate internal/placement internal/cluster/capacity.go
//
// A file is tested by the tests in its own _test.go, a folder by all of its tests.
// All mutants of a package are in one test binary, and an environment variable
// chooses one of them, so that a mutant costs no more than a run of the tests.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	workers := flag.Int("workers", 1, "mutants to test at a time")
	limit := flag.Duration("limit", 30*time.Second, "time for the tests of one mutant; one that takes longer is noticed")
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
		left, err := p.test(*workers, *limit, known)
		if err != nil {
			fail(err)
		}
		for _, m := range left {
			fmt.Println("survived:", m)
		}
		fmt.Printf("%s: %d mutants, %d survived\n", target, len(p.mutants), len(left))
		survivors += len(left)
		total += len(p.mutants)
	}
	for text, used := range known {
		if !*used && covers(flag.Args(), text) {
			fmt.Println("no such survivor any more:", text)
			survivors++
		}
	}
	if survivors > 0 {
		fail(fmt.Errorf("%d of %d mutants to look at", survivors, total))
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

// readEquivalent reads lines "file: function: before -> after # reason".
func readEquivalent(path string) (map[string]*bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := map[string]*bool{}
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
		known[strings.TrimSpace(text)] = new(bool)
	}
	return known, lines.Err()
}

// test runs the tests against each mutant, and returns the survivors.
func (p *pkg) test(workers int, limit time.Duration, known map[string]*bool) ([]mutant, error) {
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	binary, err := p.build(temp)
	if err != nil {
		return nil, err
	}
	if out, err := p.run(binary, 0, limit); err != nil {
		return nil, fmt.Errorf("%s: the tests fail without a mutant: %w\n%s", p.dir, err, out)
	}
	var lock sync.Mutex
	var left []mutant
	var group sync.WaitGroup
	queue := make(chan mutant)
	for range workers {
		group.Go(func() {
			for m := range queue {
				if _, err := p.run(binary, m.id, limit); err != nil {
					continue
				}
				lock.Lock()
				if used, listed := known[m.key()]; listed {
					*used = true
				} else {
					left = append(left, m)
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
	slices.SortFunc(left, func(a, b mutant) int { return cmp.Compare(a.id, b.id) })
	return left, nil
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

// run runs the tests with one mutant; 0 is none.
func (p *pkg) run(binary string, id int, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{"-test.failfast", "-test.timeout", limit.String(), "-test.run", p.tests}
	if p.rapid {
		args = append(args, "-rapid.seed=1", "-rapid.checks=60", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("MUTANT=%d", id), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	return string(out), errors.Join(err, ctx.Err())
}

// runtimeSource is added to a package: what its mutants call.
const runtimeSource = `package %s

import "os"
import "strconv"

var activeMutant, _ = strconv.Atoi(os.Getenv("MUTANT"))

func mutantIs(id int) bool { return id == activeMutant }

func mutantOr[T any](id int, mutated, original T) T {
	if mutantIs(id) {
		return mutated
	}
	return original
}

func mutantDo(id int, mutated, original func() bool) bool {
	if mutantIs(id) {
		return mutated()
	}
	return original()
}
`
