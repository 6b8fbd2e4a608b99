package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sample keeps one mutant of so many.
func (p *pkg) sample(every int) {
	p.made = len(p.mutants)
	p.mutants = slices.DeleteFunc(p.mutants, func(m mutant) bool { return m.id%every != 0 })
}

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
	tests, err := p.trace(binary, filepath.Join(temp, "reached"))
	if err != nil {
		return result{}, err
	}
	var lock sync.Mutex
	var group sync.WaitGroup
	r := result{made: p.made}
	queue := make(chan mutant)
	for range workers {
		group.Go(func() {
			for m := range queue {
				noticed, endless := p.notices(binary, m.id, tests)
				lock.Lock()
				switch {
				case endless:
					r.endless++
					r.noticed++
				case noticed:
					r.noticed++
				case known[m.key()] > 0:
					known[m.key()]--
					r.equivalent++
				default:
					fmt.Println("survived:", m)
					r.survived = append(r.survived, m.key())
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

// traced is a test, how long it takes, and the mutants that it comes by.
type traced struct {
	name    string
	took    time.Duration
	reaches map[string]bool
}

// trace runs each test alone, without a mutant. The quickest is the first.
func (p *pkg) trace(binary, file string) ([]traced, error) {
	cmd := exec.CommandContext(context.Background(), binary, "-test.list", cmp.Or(p.tests, "."))
	cmd.Dir = p.dir
	list, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: list the tests: %w", p.dir, err)
	}
	var tests []traced
	for name := range strings.FieldsSeq(string(list)) {
		if (!strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Fuzz")) || p.skip.MatchString(name) {
			continue
		}
		if err := os.RemoveAll(file); err != nil {
			return nil, err
		}
		out, took, err := p.run(binary, 0, pattern([]string{name}), 10*time.Minute, "MUTANT_REACHED="+file)
		if err != nil {
			return nil, fmt.Errorf("%s: %s fails without a mutant: %w\n%s", p.dir, name, err, out)
		}
		ids, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		t := traced{name, took, map[string]bool{}}
		for id := range strings.FieldsSeq(string(ids)) {
			t.reaches[id] = true
		}
		tests = append(tests, t)
	}
	slices.SortStableFunc(tests, func(a, b traced) int { return cmp.Compare(a.took, b.took) })
	return tests, nil
}

// notices runs the tests that come by a mutant: a few quick ones, then the others.
func (p *pkg) notices(binary string, id int, tests []traced) (noticed, endless bool) {
	const few = 3
	var names [2][]string
	var took [2]time.Duration
	for _, t := range tests {
		if t.reaches[strconv.Itoa(id)] {
			turn := min(len(names[0])/few, 1)
			names[turn] = append(names[turn], t.name)
			took[turn] += t.took
		}
	}
	for turn, list := range names {
		if len(list) == 0 {
			continue
		}
		limit := (10*took[turn] + 3*time.Second).Truncate(time.Second)
		if _, took, err := p.run(binary, id, pattern(list), limit); err != nil {
			return true, took > limit*9/10
		}
	}
	return false, false
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
	arguments := []string{"test", "-c", "-vet=off", "-overlay", file, "-o", binary, "./" + p.dir}
	out, err := exec.CommandContext(context.Background(), "go", arguments...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

func pattern(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// run runs tests with one mutant; 0 is none. The limit is in time of the CPU,
// which does not depend on what else the machine does.
func (p *pkg) run(
	binary string,
	id int,
	tests string,
	limit time.Duration,
	environment ...string,
) (out string, took time.Duration, err error) {
	args := []string{"-c", `ulimit -t "$0"; exec "$@"`, fmt.Sprint(int(limit / time.Second)), binary,
		"-test.short", "-test.failfast", "-test.parallel=4", "-test.run", tests}
	if p.rapid {
		args = append(args, "-rapid.seed=1", "-rapid.checks=300", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	// Tests that wait for each other use no CPU: they end after a while, too.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = p.dir
	cmd.Env = append(append(os.Environ(), fmt.Sprintf("MUTANT=%d", id), "GOMAXPROCS=1"), environment...)
	text, err := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}

// runtimeSource is added to a package: what its mutants call.
const runtimeSource = `package %s

import "fmt"
import "os"
import "strconv"
import "sync"

var activeMutant, _ = strconv.Atoi(os.Getenv("MUTANT"))

var reachedMutants sync.Map
var reachedFile, _ = os.OpenFile(os.Getenv("MUTANT_REACHED"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)

func mutantIs(id int) bool {
	if reachedFile != nil {
		if _, known := reachedMutants.LoadOrStore(id, true); !known {
			fmt.Fprintln(reachedFile, id)
		}
	}
	return id == activeMutant
}

func mutantOr[T any](id int, mutated, original func() T) T {
	if mutantIs(id) {
		return mutated()
	}
	return original()
}
`
