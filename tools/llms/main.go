// Command llms writes two files for programs that read the documentation: llms.txt lists the
// pages of docs/ with what each is about, and llms-full.txt has all of them.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

const address = "https://raw.githubusercontent.com/stackpolicy/terraform-provider-stackpolicy/main/"

func main() {
	list, all, err := write(os.DirFS("."))
	if err == nil {
		err = errors.Join(
			os.WriteFile("llms.txt", []byte(list), 0o644), os.WriteFile("llms-full.txt", []byte(all), 0o644),
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "llms:", err)
		os.Exit(1)
	}
}

// sections are the parts of the list, with their pages.
var sections = [...]struct{ title, pages string }{
	{"The provider", "docs/index.md"},
	{"Guides", "docs/guides/*.md"},
	{"Resources", "docs/resources/*.md"},
	{"Actions", "docs/actions/*.md"},
	{"Data sources", "docs/data-sources/*.md"},
	{"Functions", "docs/functions/*.md"},
}

// head matches the beginning of each page; its parts are the title, the description and the text.
var head = regexp.MustCompile(
	`(?s)^---\npage_title: "([^"]+?)(?: - Stackpolicy)?"\n.*?description: \|-\n  (.+?)\n---\n\n(.+)$`,
)

// write returns the list of the pages, and all of them in the same order.
func write(top fs.FS) (list, all string, err error) {
	list = "# terraform-provider-stackpolicy\n\n> Cluster policies for OpenStack in Terraform and OpenTofu. " +
		"All pages in one file: " + address + "llms-full.txt\n"
	for _, s := range sections {
		list += "\n## " + s.title + "\n\n"
		pages, err := fs.Glob(top, s.pages)
		if err != nil {
			return "", "", err
		}
		for _, page := range pages {
			content, err := fs.ReadFile(top, page)
			if err != nil {
				return "", "", err
			}
			m := head.FindStringSubmatch(string(content))
			if m == nil {
				return "", "", fmt.Errorf("%s has no title or no description", page)
			}
			list += fmt.Sprintf("- [%s](%s): %s\n", m[1], address+page, m[2])
			all += fmt.Sprintf("<!-- %s -->\n\n%s\n\n", page, strings.TrimSpace(m[3]))
		}
	}
	return list, all, nil
}
