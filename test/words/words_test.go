// Package words_test keeps the language of the documentation, the diagnostics and
// the comments plain.
package words_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// word is a phrase to avoid, and what to write instead.
type word struct {
	phrase *regexp.Regexp
	better string
}

var columns = regexp.MustCompile(`^(.*?\S)\s{2,}(\S.*)$`)

// list reads a file such as words.txt.
func list(t *testing.T, file string) (words []word) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := columns.FindStringSubmatch(line)
		require.NotNil(t, parts, "%s: %q has no better word", file, line)
		words = append(words, word{regexp.MustCompile("(?i)" + parts[1]), parts[2]})
	}
	return words
}

// passage is a paragraph, a comment or a text: lines that are read as one.
type passage struct {
	file  string
	line  int // number of the first line
	lines []string
	kind  kind
}

type kind int

const (
	paragraph kind = iota
	goComment
	goText
)

// text returns the passage as one line, and the offset at which each line begins.
func (p passage) text() (text string, begins []int) {
	for _, line := range p.lines {
		if text != "" {
			text += " "
		}
		begins = append(begins, len(text))
		text += line
	}
	return text, begins
}

// check returns what is wrong with a passage.
func (p passage) check(words []word) (faults []string) {
	text, begins := p.text()
	for _, w := range words {
		for _, at := range w.phrase.FindAllStringIndex(text, -1) {
			i := 0
			for i+1 < len(begins) && begins[i+1] <= at[0] {
				i++
			}
			faults = append(faults, fmt.Sprintf("%s:%d: %q: write %s", p.file, p.line+i, text[at[0]:at[1]], w.better))
		}
	}
	return faults
}

// comment matches the beginning of a line of prose in a configuration or a script.
var comment = regexp.MustCompile(`^\s*(#+|//) ?`)

// prose splits a Markdown file into paragraphs. Fenced blocks, tables and
// indented blocks may be aligned with blanks: their lines stand alone, and runs
// of blanks in them are one.
func prose(file, content string) (found []passage) {
	var p passage
	end := func() {
		if len(p.lines) > 0 {
			found = append(found, p)
		}
		p = passage{file: file}
	}
	fenced := false
	for i, line := range strings.Split(content, "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		fenced = fenced != fence
		if fence || trimmed == "" {
			end()
			continue
		}
		alone := fenced || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(line, "    ")
		if alone {
			end()
			trimmed = strings.Join(strings.Fields(trimmed), " ")
		}
		if len(p.lines) == 0 {
			p.line, p.file = i+1, file
		}
		p.lines = append(p.lines, trimmed)
		if alone {
			end()
		}
	}
	end()
	return found
}

// comments finds the comments of a configuration, a script or a workflow, and
// the descriptions in it.
func comments(file, content string) (found []passage) {
	last := -1
	for i, line := range strings.Split(content, "\n") {
		mark := comment.FindString(line)
		_, trailing, isTrailing := strings.Cut(line, " # ")
		_, description, isDescription := strings.Cut(line, "description")
		switch {
		case mark != "" && line[len(mark):] == "":
		case mark != "" && last == i-1 && len(found) > 0:
			found[len(found)-1].lines = append(found[len(found)-1].lines, line[len(mark):])
			last = i
		case mark != "":
			found = append(found, passage{file: file, line: i + 1, lines: []string{line[len(mark):]}})
			last = i
		case isTrailing:
			found = append(found, passage{file: file, line: i + 1, lines: []string{trailing}})
		case isDescription:
			found = append(found, passage{file: file, line: i + 1, lines: []string{strings.TrimSpace(description)}})
		}
	}
	return found
}

// source finds the comments and the texts of a Go file.
func source(t *testing.T, file, content string) (found []passage) {
	t.Helper()
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, file, content, parser.ParseComments)
	require.NoError(t, err)
	for _, group := range tree.Comments {
		first := positions.Position(group.Pos()).Line
		for _, p := range prose(file, group.Text()) {
			p.line += first - 1
			p.kind = goComment
			found = append(found, p)
		}
	}
	for n := range ast.Preorder(tree) {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			text = lineBreak.ReplaceAllString(text, " ")
			if strings.HasSuffix(file, "_test.go") { // tables, and configurations that are aligned
				text = strings.Join(strings.Fields(text), " ")
			}
			found = append(found, passage{file, positions.Position(literal.Pos()).Line, []string{text}, goText})
		}
	}
	return found
}

var lineBreak = regexp.MustCompile(`\s*\n\s*`)

// passages finds the passages of a file that readers see.
func passages(t *testing.T, file, content string) []passage {
	t.Helper()
	switch name := filepath.Base(file); {
	case strings.HasSuffix(name, ".go"):
		return source(t, file, content)
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".md.tmpl"):
		return prose(file, content)
	case slices.Contains([]string{".tf", ".sh", ".yml", ".yaml", ".py"}, filepath.Ext(name)), name == "GNUmakefile", strings.HasPrefix(content, "#!"):
		return comments(file, content)
	}
	return nil
}

// left are folders whose language is not ours, or that are made from what is looked at here.
var left = []string{".git", ".data", ".tools", ".terraform", "docs", "testdata", "dist"}

// walk calls a function for each passage of the repository.
func walk(t *testing.T, found func(passage)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(left, entry.Name()) || file == filepath.Join("test", "words") {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, p := range passages(t, filepath.ToSlash(file), string(content)) {
			found(p)
		}
		return nil
	}))
}

// TestPlainWords: texts for readers have none of the words in words.txt, and no two blanks between words.
func TestPlainWords(t *testing.T) {
	words := append(list(t, "words.txt"), blanks)
	read := map[string]int{}
	walk(t, func(p passage) {
		read[filepath.Ext(p.file)]++
		for _, fault := range p.check(words) {
			t.Error(fault)
		}
	})
	for extension, least := range map[string]int{".go": 5000, ".md": 100, ".tmpl": 300, ".tf": 50, ".yml": 5} {
		assert.GreaterOrEqual(t, read[extension], least, "passages of %s files", extension)
	}
}

var blanks = word{regexp.MustCompile(`\pL[,;.]?  \pL`), "one blank"}

// TestReader: each kind of file is read, and the reported line of a word is right.
func TestReader(t *testing.T) {
	words := append(list(t, "words.txt"), blanks)
	for file, content := range map[string]string{
		"page.md":        "# Page\n\nA first line\nand what is\nto be done\n",
		"table.md":       "\n\n| a    | b |\n| is to be | c |\n",
		"guide.md.tmpl":  "Text.\n\n```\nthis  is  aligned\n# is to be\n```\n",
		"main.tf":        "a = 1\n\n# It is\n# to be.\n",
		"variables.tf":   "\n\n\n  description = \"It is to be\"\n",
		"up.sh":          "#!/bin/sh\n\n# Two\n# which is to be\n",
		"test.yml":       "a: b\n\n\nc: d # is to be\n",
		"a.go":           "package a\n\n// It says\n// what is to be\nvar a = 1\n",
		"b.go":           "package b\n\n\nvar b = \"it is to be\"\n",
		"two-blanks.md":  "\n\n\ntwo  blanks\n",
		"two-blanks.go":  "package c\n\n// Fine.\nvar c = \"two  blanks\"\n",
		"interrupted.go": "package d\n\n\nvar d = `context canceled`\n",
	} {
		var faults []string
		for _, p := range passages(t, file, content) {
			faults = append(faults, p.check(words)...)
		}
		if len(faults) != 1 || (!strings.HasPrefix(faults[0], file+":4:") && !strings.HasPrefix(faults[0], file+":5:") && file != "main.tf") {
			t.Errorf("%s: %q", file, faults)
		}
	}
}

var update = flag.Bool("update", false, "write how many words each page has")

// counts has the words of each page, and mostWords bounds all of them together.
const (
	counts    = "pages.txt"
	mostWords = 42500
)

// TestCounts: no page that users read grows by more than a twentieth, unless its line in pages.txt changes, which a
// review sees.
func TestCounts(t *testing.T) {
	content, err := os.ReadFile(counts)
	require.NoError(t, err)
	allowed := map[string]int{}
	for line := range strings.Lines(string(content)) {
		words, page, _ := strings.Cut(strings.TrimSpace(line), " ")
		allowed[page], err = strconv.Atoi(words)
		require.NoError(t, err, line)
	}
	list, total := "", 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		pages, err := fs.Glob(os.DirFS(root), pattern)
		require.NoError(t, err)
		require.NotEmpty(t, pages, pattern)
		for _, page := range pages {
			content, err := os.ReadFile(filepath.Join(root, page))
			require.NoError(t, err)
			words := len(strings.Fields(string(content)))
			total += words
			list += fmt.Sprintln(words, page)
			if most := allowed[page] * 21 / 20; words > most && !*update {
				t.Errorf("%s has %d words, more than %d: shorten it, or run the test with -update", page, words, most)
			}
		}
	}
	assert.LessOrEqual(t, total, mostWords, "words of all pages together")
	if *update {
		require.NoError(t, os.WriteFile(counts, []byte(list), 0o600))
	}
}
