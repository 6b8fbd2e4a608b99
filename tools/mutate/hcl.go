package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// What is written in HCL is read by tests, not compiled into them. So each mutant
// has a run of its own, in a copy of the repository.

var argument = regexp.MustCompile(`^\s*([a-z_]+) += \S`)

// loadHCL makes a mutant of each argument that stands in one line: it is left out.
func loadHCL(file string) ([]fault, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []fault
	block := ""
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if strings.HasSuffix(text, "{") && !strings.HasPrefix(line, "  ") {
			block = strings.TrimSuffix(text, " {")
		}
		if argument.MatchString(line) && strings.Count(text, "{") == strings.Count(text, "}") {
			all = append(
				all,
				fault{
					title:  fmt.Sprintf("%s: %s: %s -> (nothing)", file, block, text),
					file:   file,
					line:   i + 1,
					before: []string{text},
				},
			)
		}
	}
	return all, nil
}

// testHCL leaves out one argument after the other. The tests are compiled once, in the copy.
func testHCL(file, pkg, tests string, every int) (result, error) {
	all, err := loadHCL(file)
	if err != nil {
		return result{}, err
	}
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(temp)
	dir, err := copied(temp)
	if err != nil {
		return result{}, err
	}
	binary := filepath.Join(temp, "tests")
	compile := exec.CommandContext(context.Background(), "go", "test", "-c", "-vet=off", "-o", binary, pkg)
	compile.Dir = dir
	if out, err := compile.CombinedOutput(); err != nil {
		return result{}, fmt.Errorf("%w\n%s", err, out)
	}
	run := func(text string) (string, error) {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, "-test.short", "-test.failfast", "-test.run", tests)
		cmd.Dir = filepath.Join(dir, pkg)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		return result{}, err
	}
	if out, err := run(string(whole)); err != nil {
		return result{}, fmt.Errorf("%s fails without a mutant: %w\n%s", tests, err, out)
	}
	r := result{made: len(all)}
	for i, f := range all {
		if (i+1)%every != 0 {
			continue
		}
		text, err := f.put()
		if err != nil {
			return r, err
		}
		if _, err := run(text); err != nil {
			r.noticed++
			continue
		}
		fmt.Println("survived:", f.title)
		r.survived = append(r.survived, f.title)
	}
	return r, nil
}

// folderOf is the name of a target in the report.
func folderOf(target string) string {
	if filepath.Ext(target) == ".tf" {
		return filepath.Dir(target)
	}
	return filepath.Clean(target)
}
