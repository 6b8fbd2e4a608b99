package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	wanted   = regexp.MustCompile(`(?m)^<!-- variables (\S+) -->$`)
	variable = regexp.MustCompile(`(?ms)^variable "(\w+)" \{\n(.*?)^\}`)
	argument = regexp.MustCompile(`(?m)^  (type|default|description) += (.*?)(?: #.*)?$`)
	heredoc  = regexp.MustCompile(`(?ms)^  description = <<-EOT\n(.*?)^  EOT$`)
	byText   = regexp.MustCompile(` ?Default: (.*?)\.(?: |$)`)
)

// tables replaces each comment `<!-- variables FILES -->` of a page by a table of the variables of a module, those
// without
// a default first. The default is the one that the description names, because null stands for the argument's own.
func tables(page string) (string, error) {
	var failed error
	return wanted.ReplaceAllStringFunc(page, func(comment string) string {
		table, err := variables(wanted.FindStringSubmatch(comment)[1])
		failed = errors.Join(failed, err)
		return table
	}), failed
}

// variables returns the table of the variables in files, which a pattern names.
func variables(pattern string) (string, error) {
	files, err := filepath.Glob(pattern)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no file is named %s", pattern)
	}
	var required, others strings.Builder
	for _, file := range files {
		content, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		for _, v := range variable.FindAllStringSubmatch(string(content), -1) {
			has := map[string]string{}
			for _, a := range argument.FindAllStringSubmatch(v[2], -1) {
				has[a[1]] = a[2]
			}
			text, failed := strconv.Unquote(has["description"])
			if lines := heredoc.FindStringSubmatch(v[2]); lines != nil {
				text, failed = strings.Join(strings.Fields(lines[1]), " "), nil
			}
			if failed != nil || has["type"] == "" {
				err = errors.Join(err, failed, fmt.Errorf("%s: %s needs a type and a description", file, v[1]))
			}
			rows, standard := &others, has["default"]
			if standard == "" {
				rows = &required
			} else if named := byText.FindStringSubmatch(text); named != nil {
				text, standard = strings.TrimSpace(strings.Replace(text, named[0], " ", 1)), named[1]
			}
			fmt.Fprintf(
				rows,
				"|`%s`|%s|%s|%s|\n",
				v[1],
				has["type"],
				cmp.Or(standard, "must be given"),
				strings.ReplaceAll(text, "|", `\|`),
			)
		}
	}
	return "|variable|type|default|what it is|\n|---|---|---|---|\n" + required.String() + strings.TrimSuffix(
		others.String(),
		"\n",
	), err
}
