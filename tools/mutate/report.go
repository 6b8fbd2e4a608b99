package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// report has the results by folder.
type report map[string]result

const (
	reportHead = "# Mutants, by folder\n\n" +
		"tools/mutate writes this (`make mutate`, `make mutate-provider`). Equivalent are those that make no " +
		"difference,\n" +
		"each with its reason in equivalent.txt. Only the tests of the folder itself count. Where fewer were tried " +
		"than\n" +
		"made, it was a sample.\n\n" +
		"| folder | made | tried | noticed | equivalent | survived |\n" +
		"|---|---|---|---|---|---|\n"
	survivorsHead = "\nThose that survived:\n\n"
)

// readReport reads what write wrote. Without a file there is nothing yet.
func readReport(file string) (report, error) {
	r := report{}
	data, err := os.ReadFile(file)
	switch {
	case file == "", errors.Is(err, os.ErrNotExist):
		return r, nil
	case err != nil:
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if mutant, ok := strings.CutPrefix(line, "- `"); ok {
			source, _, _ := strings.Cut(mutant, ":")
			of := r[path.Dir(source)]
			of.survived = append(of.survived, strings.TrimSuffix(mutant, "`"))
			r[path.Dir(source)] = of
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 8 {
			continue
		}
		var tried, survived int
		var of result
		numbers := strings.Join(fields[2:7], " ")
		if n, _ := fmt.Sscan(numbers, &of.made, &tried, &of.noticed, &of.equivalent, &survived); n == 5 {
			r[strings.TrimSpace(fields[1])] = of
		}
	}
	return r, nil
}

// write writes all folders. Without a file nothing is written.
func (r report) write(file string) error {
	if file == "" {
		return nil
	}
	var text, left strings.Builder
	text.WriteString(reportHead)
	for _, folder := range slices.Sorted(maps.Keys(r)) {
		of := r[folder]
		fmt.Fprintf(
			&text,
			"| %s | %d | %d | %d | %d | %d |\n",
			folder,
			of.made,
			of.tried(),
			of.noticed,
			of.equivalent,
			len(of.survived),
		)
		for _, m := range slices.Sorted(slices.Values(of.survived)) {
			fmt.Fprintf(&left, "- `%s`\n", m)
		}
	}
	if left.Len() > 0 {
		text.WriteString(survivorsHead + left.String())
	}
	return os.WriteFile(file, []byte(text.String()), 0o600)
}
