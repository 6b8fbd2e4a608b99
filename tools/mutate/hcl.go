package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// testHCL leaves out one argument after the other.
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
	r := result{made: len(all)}
	for i, f := range all {
		if (i+1)%every != 0 {
			continue
		}
		f.pkg, f.tests = pkg, tests
		noticed, err := f.noticed(temp)
		switch {
		case err != nil:
			return r, err
		case noticed:
			r.noticed++
		default:
			fmt.Println("survived:", f.title)
			r.survived = append(r.survived, f.title)
		}
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
