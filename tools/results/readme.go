package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// write rewrites, in the tree at top, the texts that depend on the results.
func write(top string) error {
	runs, err := read(filepath.Join(top, folder))
	if err != nil {
		return err
	}
	return errors.Join(between(filepath.Join(top, "README.md"), versions(runs)),
		between(filepath.Join(top, folder, "README.md"), table(runs)))
}

// read reads all runs, by name.
func read(dir string) (list []run, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json")) // sorted
	for _, file := range files {
		text, bad := os.ReadFile(file)
		var r run
		err = errors.Join(err, bad, json.Unmarshal(text, &r))
		list = append(list, r)
	}
	return list, err
}

// between replaces the text of a page between the two marks.
func between(file, text string) error {
	const begin, end = "<!-- results: make docs writes what follows -->\n", "<!-- end of results -->"
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no %q and %q", file, begin, end)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}

// versions returns the table of the README. A run with a failure does not count.
func versions(runs []run) string {
	var terraform, tofu, provider, openstack []string
	for _, r := range runs {
		if len(r.Failed) > 0 {
			continue
		}
		if name, version, _ := strings.Cut(r.Terraform, " "); name == "Terraform" {
			terraform = append(terraform, version)
		} else {
			tofu = append(tofu, version)
		}
		if r.Provider != "stand-in" {
			provider = append(provider, r.Provider)
		}
		if name, real := strings.CutPrefix(r.Cloud, "OpenStack "); real {
			openstack = append(openstack, fmt.Sprintf("%s (Nova %s)", name, r.Services["nova"]))
		}
	}
	return fmt.Sprintf(`| | supported | tested with |
|---|---|---|
| Terraform | 1.8 or later | %s |
| OpenTofu | 1.7 or later | %s |
| terraform-provider-openstack | 3.0 or later | %s |
| OpenStack | the maintained releases, and Zed | %s |
`, list(terraform), list(tofu), list(provider), list(openstack))
}

var number = regexp.MustCompile(`\d+`)

// list joins versions, each once, in the order of their numbers. Zed, which has no number, is the last.
func list(versions []string) string {
	padded := func(v string) string {
		return number.ReplaceAllStringFunc(v, func(n string) string { return fmt.Sprintf("%06s", n) })
	}
	slices.SortFunc(versions, func(a, b string) int { return strings.Compare(padded(a), padded(b)) })
	if len(versions) == 0 {
		return "-"
	}
	return strings.Join(slices.Compact(versions), ", ")
}

// table returns the table of all runs.
func table(runs []run) string {
	var b strings.Builder
	b.WriteString(
		"| run | cloud | as | with | terraform-provider-openstack | passed | failed | skipped | date | commit " +
			"|\n|---|---|---|---|---|---|---|---|---|---|\n",
	)
	for _, r := range runs {
		skipped := 0
		for _, n := range r.Skipped {
			skipped += n
		}
		fmt.Fprintf(&b, "| [%s](%[1]s.json) | %s | %s | %s | %s | %d | %d | %d | %s | %s |\n",
			r.Name, r.Cloud, r.User, r.Terraform, r.Provider, r.Passed, len(r.Failed), skipped, r.Date, r.Commit)
	}
	return b.String()
}
