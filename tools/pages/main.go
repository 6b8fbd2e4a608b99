// Command pages edits the pages that tfplugindocs has made, which are its arguments.
//
// The schema says that every argument in a block is optional, because a block may be left out as a whole. The command
// puts arguments whose description begins with "Required." first, under a heading of their own. It leaves out nested
// schemas without descriptions, because the attribute itself describes them. A nested schema that repeats an earlier
// one becomes a link: an earlier one on the same page or, if it is long, on an earlier page.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	all, done := library{}, map[string]bool{}
	for _, page := range os.Args[1:] {
		if done[page] {
			continue
		}
		done[page] = true
		content, err := os.ReadFile(page)
		if err == nil {
			err = os.WriteFile(page, []byte(all.edit(page, string(content))), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "pages:", err)
			os.Exit(1)
		}
	}
}

var (
	nested    = regexp.MustCompile(`(?m)^<a id="([^"]+)"></a>\n### Nested Schema for (.+)\n`)
	described = regexp.MustCompile(`(?m)^- .*\) \S`)
	kind      = regexp.MustCompile(`(?m)^(- \S+) \([^)]*\)`)
	below     = regexp.MustCompile(` ?\(see \[below for nested schema\]\((#[^)]+)\)\)`)
)

// library has the place of each nested schema, by its text.
type library map[string]place

// place is the place where a nested schema is described.
type place struct{ file, anchor, name string }

// long is the number of words from which a nested schema is described on one page only.
const long = 40

// link returns the link from a file to the place.
func (p place) link(from string) string {
	if p.file == from {
		return fmt.Sprintf("[%s](#%s)", p.name, p.anchor)
	}
	file, err := filepath.Rel(filepath.Dir(from), p.file)
	if err != nil {
		file = p.file
	}
	of := strings.TrimSuffix(filepath.Base(file), ".md")
	return fmt.Sprintf("[%s of `stackpolicy_%s`](%s#%s)", p.name, of, filepath.ToSlash(file), p.anchor)
}

// edit edits a page, and remembers the schemas on it.
func (l library) edit(file, page string) string {
	end := strings.Index(page, "\n## Import\n")
	if end < 0 {
		end = len(page)
	}
	rest := page[end:]
	page = page[:end]
	sections := nested.FindAllStringSubmatchIndex(page, -1)
	if len(sections) == 0 {
		return required(page) + rest
	}
	edited := page[:sections[0][0]]
	gone := map[string]bool{}
	for i, s := range sections {
		next := len(page)
		if i+1 < len(sections) {
			next = sections[i+1][0]
		}
		head, anchor, name := page[s[0]:s[1]], page[s[2]:s[3]], page[s[4]:s[5]]
		body := strings.TrimSpace(page[s[1]:next])
		plain := below.ReplaceAllString(body, "")
		says := kind.ReplaceAllString(plain, "$1")
		there, repeated := l[says]
		switch {
		case !described.MatchString(plain):
			gone["#"+anchor] = true
			continue
		case repeated && (there.file == file || len(strings.Fields(says)) >= long):
			body = "As in " + there.link(file) + "."
		case !repeated:
			l[says] = place{file, anchor, name}
		}
		edited += head + "\n" + body + "\n\n"
	}
	edited = below.ReplaceAllStringFunc(edited, func(link string) string {
		anchor := below.FindStringSubmatch(link)[1]
		if gone[anchor] {
			return ""
		}
		return " ([below](" + anchor + "))"
	})
	return strings.TrimRight(required(edited), "\n") + "\n" + rest
}

// required puts the arguments that a block needs first, each list below its heading.
func required(page string) string {
	const heading, marker = "Optional:\n\n", ") Required. "
	blocks := strings.Split(page, "\n"+heading)
	for i, block := range blocks[1:] {
		list, rest, _ := strings.Cut(block, "\n\n")
		var needed, others []string
		for line := range strings.Lines(strings.TrimSuffix(list, "\n") + "\n") {
			if strings.Contains(line, marker) {
				needed = append(needed, strings.Replace(line, marker, ") ", 1))
			} else {
				others = append(others, line)
			}
		}
		text := ""
		if len(needed) > 0 {
			text = "Required, if the block is given:\n\n" + strings.Join(needed, "") + "\n"
		}
		if len(others) > 0 {
			text += heading + strings.Join(others, "") + "\n"
		}
		blocks[i+1] = text + rest
	}
	return strings.Join(blocks, "\n")
}
