package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fault is a fault that a person thought of, with the tests that must notice it.
type fault struct {
	title         string
	file          string
	pkg, tests    string // package of the tests, and their pattern
	before, after []string
}

// readFaults reads a table of faults. Lines that begin with # are comments. A fault is
//
//	title
//	FILE PACKAGE TESTS
//	- a line of the file
//	+ the line that replaces it
//
// followed by an empty line. Blanks at the beginning of the lines do not count.
func readFaults(path string) ([]fault, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []fault
	for block := range strings.SplitSeq(string(data), "\n\n") {
		var f fault
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
			switch kind, rest, _ := strings.Cut(line, " "); {
			case line == "", kind == "#":
			case kind == "-":
				f.before = append(f.before, strings.TrimSpace(rest))
			case kind == "+":
				f.after = append(f.after, strings.TrimSpace(rest))
			case f.title == "":
				f.title = line
			default:
				fields := strings.Fields(line)
				if len(fields) != 3 || f.file != "" {
					return nil, fmt.Errorf("%s: %q is not FILE PACKAGE TESTS", path, line)
				}
				f.file, f.pkg, f.tests = fields[0], fields[1], fields[2]
			}
		}
		switch {
		case f.title == "":
		case f.file == "" || len(f.before) == 0:
			return nil, fmt.Errorf("%s: %q has no file or no line", path, f.title)
		default:
			all = append(all, f)
		}
	}
	return all, nil
}

// put returns the text of the file with the fault in it. The file must have the lines exactly once, so that the table
// follows the code.
func (f fault) put() (string, error) {
	data, err := os.ReadFile(f.file)
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(data), "\n")
	var at []int
	for i := range len(lines) - len(f.before) + 1 {
		same := true
		for j, want := range f.before {
			same = same && strings.TrimSpace(lines[i+j]) == want
		}
		if same {
			at = append(at, i)
		}
	}
	if len(at) != 1 {
		return "", fmt.Errorf("%s: %s has these lines %d times, not once: %q", f.title, f.file, len(at), f.before)
	}
	end := at[0] + len(f.before)
	return strings.Join(append(append(append([]string{}, lines[:at[0]]...), f.after...), lines[end:]...), "\n"), nil
}

// noticed reports whether the tests fail with the fault in the code. The folder keeps a copy of the repository from one
// fault to the next: at another path all packages would be compiled again.
func (f fault) noticed(temp string) (bool, error) {
	text, err := f.put()
	if err != nil {
		return false, err
	}
	args := []string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-run", f.tests}
	dir := "."
	if strings.HasSuffix(f.file, ".go") {
		overlay, err := f.overlay(temp, text)
		if err != nil {
			return false, err
		}
		args = append(args, "-overlay", overlay)
	} else { // a test reads the file, so the fault is put into a copy of the repository
		if dir, err = copied(temp); err != nil {
			return false, err
		}
		path := filepath.Join(dir, f.file)
		whole, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return false, err
		}
		defer func() { _ = os.WriteFile(path, whole, 0o600) }()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, f.pkg)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "STACKPOLICY_RUN=short,sweep")
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return false, nil
	case !strings.Contains(string(out), "--- FAIL") && !strings.Contains(string(out), "panic: "):
		return false, fmt.Errorf("%s: no test ran: %w\n%s", f.title, err, out)
	}
	return true, nil
}

// overlay writes the file with which the compiler uses another text for a file.
func (f fault) overlay(temp, text string) (string, error) {
	at, err := filepath.Abs(f.file)
	if err != nil {
		return "", err
	}
	broken, list := filepath.Join(temp, "broken.go"), filepath.Join(temp, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{at: broken}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
		return "", err
	}
	return list, os.WriteFile(list, data, 0o600)
}

// copied makes a copy of the repository's present files, once.
func copied(temp string) (string, error) {
	dir := filepath.Join(temp, "copy")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	script := `mkdir -p "$0" && git ls-files -z | xargs -0 cp --parents -t "$0" &&
		{ [ ! -d .tools ] || ln -s "$PWD/.tools" "$0/.tools"; }`
	if out, err := exec.CommandContext(context.Background(), "sh", "-c", script, dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("copy the files: %w\n%s", err, out)
	}
	return dir, nil
}

// tried is what became known of a fault.
type tried struct {
	noticed bool
	took    time.Duration
	err     error
}

// try puts the fault in and runs its tests.
func (f fault) try(temp string) tried {
	begun := time.Now()
	noticed, err := f.noticed(temp)
	return tried{noticed, time.Since(begun), err}
}

// testFaults tries two faults at a time, because the linker uses one core, and returns how many no test noticed. It
// skips faults unless their title or file contains the filter. A fault that cannot be tried counts as one that
// survived.
func testFaults(path, filter string, third int) (int, error) {
	all, err := readFaults(path)
	if err != nil {
		return 0, err
	}
	number := -1
	all = slices.DeleteFunc(all, func(f fault) bool {
		number++
		return !strings.Contains(f.title+" "+f.file, filter) || third >= 0 && number%3 != third%3
	})
	results, folders := make([]chan tried, len(all)), make(chan string, 2)
	for i := range all {
		results[i] = make(chan tried, 1)
	}
	for range cap(folders) {
		temp, err := os.MkdirTemp("", "fault")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(temp)
		folders <- temp
	}
	go func() {
		for i, f := range all {
			temp := <-folders
			go func() {
				results[i] <- f.try(temp)
				folders <- temp
			}()
		}
	}()
	survived := 0
	for i, f := range all {
		result := <-results[i]
		word := "noticed"
		switch {
		case result.err != nil: // the others are tried anyway
			word = "FAILED"
			fmt.Println(result.err)
		case !result.noticed:
			word = "SURVIVED"
		}
		if word != "noticed" {
			survived++
		}
		fmt.Printf("%-8s %3.0f s  %s: %s\n", word, result.took.Seconds(), f.file, f.title)
	}
	fmt.Printf("%d faults, %d noticed, %d survived\n", len(all), len(all)-survived, survived)
	return survived, nil
}
