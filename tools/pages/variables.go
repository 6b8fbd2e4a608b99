package main

import (
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
// without a default first. The default is the one that the description names, because null stands for the argument's
// own. A line "- key: text" of a description is a row of its own.
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
	required, others := "", ""
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
				text, failed = lines[1], nil
			}
			if failed != nil || has["type"] == "" {
				err = errors.Join(err, failed, fmt.Errorf("%s: %s needs a type and a description", file, v[1]))
			}
			said := strings.Split(text, "\n    - ")
			if has["default"] == "" {
				required += row(v[1], has["type"], "must be given", said[0])
			} else {
				others += row(v[1], has["type"], has["default"], said[0])
			}
			for _, line := range said[1:] {
				key, text, _ := strings.Cut(line, ": ")
				others += row(v[1]+"."+key, "", "none", text)
			}
		}
	}
	const head = "|variable|type|default|what it is|\n|---|---|---|---|\n"
	return head + required + strings.TrimSuffix(others, "\n"), err
}

// row returns a row of a table, with the default that the text names, or else with the standard one.
func row(name, kind, standard, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if named := byText.FindStringSubmatch(text); named != nil {
		text, standard = strings.TrimSpace(strings.Replace(text, named[0], " ", 1)), named[1]
	}
	return fmt.Sprintf("|`%s`|%s|%s|%s|\n", name, kind, standard, strings.ReplaceAll(text, "|", `\|`))
}
