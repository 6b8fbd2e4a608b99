package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// write rewrites, in the tree at top, what comes from the results.
func write(top string) error {
	runs, err := read(filepath.Join(top, folder))
	if err != nil {
		return err
	}
	set, err := setUpFor(filepath.Join(top, ".github", "workflows"))
	if err != nil {
		return err
	}
	return errors.Join(
		between(filepath.Join(top, "README.md"), versions(runs, set)),
		between(filepath.Join(top, folder, "README.md"), table(runs)))
}

// read reads all runs, by name.
func read(dir string) ([]run, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var list []run
	for _, file := range files { // sorted
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var r run
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// between replaces what a page has between the two marks.
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

// versions is the table of the README. A run with a failure is no proof.
func versions(runs []run, set setUp) string {
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
	return fmt.Sprintf(`| | supported | tested with | a public workflow is set up for |
|---|---|---|---|
| Terraform | 1.8 or later | %s | %s |
| OpenTofu | 1.7 or later | %s | %s |
| terraform-provider-openstack | 3.0 or later | %s | %s |
| OpenStack | the maintained releases, and Zed | %s | %s |
`, list(terraform), list(set.terraform),
		list(tofu), list(set.tofu),
		list(provider), list(set.provider),
		list(openstack), list(set.openstack))
}

// list joins versions, each once, in their order.
func list(versions []string) string {
	slices.SortFunc(versions, compare)
	if versions = slices.Compact(versions); len(versions) == 0 {
		return "-"
	}
	return strings.Join(versions, ", ")
}

var number = regexp.MustCompile(`\d+`)

// compare orders versions by their numbers. Versions that begin with no number
// ("latest") are ordered by their letters, and Zed comes before the releases that are
// named by years.
func compare(a, b string) int {
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	if named(a) != named(b) {
		return cmp.Compare(named(a), named(b))
	}
	for i := range min(len(x), len(y)) {
		if c := cmp.Or(cmp.Compare(len(x[i]), len(y[i])), strings.Compare(x[i], y[i])); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// named orders the kinds of versions: Zed first, then numbers, then all other names.
func named(version string) int {
	switch {
	case strings.HasPrefix(version, "zed"):
		return -1
	case strings.ContainsAny(version[:1], "0123456789"):
		return 0
	}
	return 1
}

// table is all runs.
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

// setUp is what the public workflows are written to run with: nothing here knows
// whether they did.
type setUp struct{ terraform, tofu, provider, openstack []string }

func setUpFor(workflows string) (setUp, error) {
	test, err := os.ReadFile(filepath.Join(workflows, "test.yml"))
	if err != nil {
		return setUp{}, err
	}
	devstack, err := os.ReadFile(filepath.Join(workflows, "devstack.yml"))
	if err != nil {
		return setUp{}, err
	}
	all := func(text []byte, pattern string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			list = append(list, string(m[1]))
		}
		return list
	}
	set := setUp{
		terraform: all(test, `cli: terraform, version: ([^ ]+) }`),
		tofu:      all(test, `cli: opentofu, version: ([^ ]+) }`),
		openstack: all(devstack, `branch: (?:stable/)?([^ ,]+), ubuntu`),
	}
	for _, version := range all(test, `(?m)^ +version: \[(.*)\]`) {
		for one := range strings.SplitSeq(version, ", ") {
			set.provider = append(set.provider, strings.Trim(one, `"`))
		}
	}
	if len(set.terraform) == 0 || len(set.tofu) == 0 || len(set.openstack) == 0 || len(set.provider) == 0 {
		return setUp{}, fmt.Errorf("the workflows name no versions: %+v", set)
	}
	return set, nil
}
