// Command pages edits the pages that tfplugindocs has made, which are its arguments.
//
// The schema says that every argument in a block is optional, because a block may be left out as a whole. The command
// puts arguments whose description begins with "Required." first, under a heading of their own. It leaves out nested
// schemas without descriptions, because the attribute itself describes them. A nested schema, and a long description
// of an
// argument, is printed once: where it is repeated, there is a link to it.
//
// A comment `<!-- variables FILES -->` becomes the table of a module's variables.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	all, done := library{map[string]place{}, map[string]string{}}, map[string]bool{}
	for _, page := range os.Args[1:] {
		if done[page] {
			continue
		}
		done[page] = true
		content, err := os.ReadFile(page)
		var text string
		if err == nil {
			text, err = tables(all.edit(page, string(content)))
		}
		if err == nil {
			err = os.WriteFile(page, []byte(text), 0o644)
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
	long      = regexp.MustCompile(`(?m)^(- \S+ \([^)]*\)) (\S+(?: \S+){29,})$`)
	below     = regexp.MustCompile(` ?\(see \[below for nested schema\]\(#([^)]+)\)\)`)
)

// library has the place of each nested schema, and the page of each long description, by its text.
type library struct {
	schemas map[string]place
	texts   map[string]string
}

// place is the place where a nested schema is described.
type place struct{ file, anchor, name string }

// link returns the link from a file to the place.
func (p place) link(from string) string {
	if p.file == from {
		return fmt.Sprintf("[as %s](#%s)", p.name, p.anchor)
	}
	file, err := filepath.Rel(filepath.Dir(from), p.file)
	if err != nil {
		file = p.file
	}
	of := strings.TrimSuffix(filepath.Base(file), ".md")
	return fmt.Sprintf("[as in `stackpolicy_%s`](%s#%s)", of, filepath.ToSlash(file), p.anchor)
}

// once replaces long descriptions that another page has.
func (l library) once(file, page string) string {
	return long.ReplaceAllStringFunc(page, func(line string) string {
		parts := long.FindStringSubmatch(line)
		text := below.ReplaceAllString(parts[2], "")
		switch there, repeated := l.texts[text]; {
		case !repeated:
			l.texts[text] = file
		case there != file:
			return parts[1] + " [As" + strings.TrimPrefix(
				place{file: there, anchor: "schema"}.link(file),
				"[as",
			) + "." + strings.TrimPrefix(
				parts[2],
				text,
			)
		}
		return line
	})
}

// section is a nested schema of a page. It says what its attributes are, in alphabetical order and without their types.
type section struct{ head, anchor, name, body, says string }

// sections splits a page into its beginning and its nested schemas. Each says what the schemas in it say, too.
func sections(page string) (beginning string, all []section) {
	found := nested.FindAllStringSubmatchIndex(page, -1)
	ends := []int{len(page)}
	for _, s := range slices.Backward(found) {
		ends = append(ends, s[0])
	}
	slices.Reverse(ends)
	for i, s := range found {
		body := strings.TrimSpace(page[s[1]:ends[i+1]])
		lines := strings.Split(kind.ReplaceAllString(below.ReplaceAllString(body, ""), "$1"), "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "- ") })
		slices.Sort(lines) // which are required stands in the text of the attribute
		all = append(all, section{page[s[0]:s[1]], page[s[2]:s[3]], page[s[4]:s[5]], body, strings.Join(lines, "\n")})
	}
	for i, outer := range all {
		for _, inner := range all[i+1:] {
			if strings.HasPrefix(inner.anchor, outer.anchor+"--") {
				all[i].says += "\n" + inner.says
			}
		}
	}
	return page[:ends[0]], all
}

// edit edits a page, and remembers the schemas on it.
func (l library) edit(file, page string) string {
	page, rest, imports := strings.Cut(l.once(file, page), "\n## Import\n")
	if imports {
		rest = "\n## Import\n" + rest
	}
	edited, all := sections(page)
	links := map[string]string{}
	outer := "" // schema that is printed elsewhere, with the schemas in it
	for _, s := range all {
		there, repeated := l.schemas[s.says]
		switch {
		case outer != "" && strings.HasPrefix(s.anchor, outer):
		case !described.MatchString(below.ReplaceAllString(s.body, "")):
			links[s.anchor] = ""
		case repeated:
			links[s.anchor], outer = " ("+there.link(file)+")", s.anchor+"--"
		default:
			l.schemas[s.says] = place{file, s.anchor, s.name}
			links[s.anchor] = " ([below](#" + s.anchor + "))"
			edited += s.head + "\n" + s.body + "\n\n"
		}
	}
	edited = below.ReplaceAllStringFunc(edited, func(link string) string {
		return links[below.FindStringSubmatch(link)[1]]
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
