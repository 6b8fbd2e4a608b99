package provider_test

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// summaryAt says which argument of a call is the summary of a diagnostic.
var summaryAt = map[string]int{"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1}

// summaries finds the summaries of all diagnostics in the source of the
// provider,
// as regular expressions: one that is put together has a part that varies.
func summaries(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob("*.go")
	folders, more := filepath.Glob("*/*.go")
	if err := errors.Join(err, more); err != nil {
		t.Fatal(err)
	}
	found := map[string]*regexp.Regexp{}
	positions := token.NewFileSet()
	for _, name := range append(files, folders...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(file) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			function, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			if i, adds := summaryAt[function.Sel.Name]; adds && !isTitle(call.Args[i]) {
				text := summaryText(call.Args[i])
				if text == "" {
					t.Errorf("%s: the summary cannot be read here", positions.Position(call.Pos()))
				}
				found[text] = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(text), "%s", ".+") + "$")
			}
		}
	}
	return found
}

// summaryText is the text of a summary: literal, a format, or the sentence of
// the policy documents for a plan that cannot be made.
func summaryText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.CallExpr:
		if len(e.Args) > 0 {
			return summaryText(e.Args[0])
		}
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Error" && isNamed(f.X, "infeasible") {
			return (&placement.InfeasibleError{}).Error()
		}
	}
	return ""
}

// isTitle reports the title of a notice, which the roster makes.
func isTitle(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !isNamed(call.Fun, "string") {
		return false
	}
	title, ok := call.Args[0].(*ast.SelectorExpr)
	return ok && title.Sel.Name == "Title"
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// titles are those of the notices that the roster makes.
func titles(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob("../roster/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*regexp.Regexp{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(file) {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !isNamed(spec.Type, "Title") {
				continue
			}
			for _, value := range spec.Values {
				text := summaryText(value)
				found[text] = regexp.MustCompile("^" + regexp.QuoteMeta(text) + "$")
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("the roster has no titles")
	}
	return found
}

// troubleshooting are the pages of the guide. The first one ends with the list of all headings.
const (
	troubleshooting = "../../templates/guides/troubleshooting*.md.tmpl"
	listHeading     = "\n## All errors and warnings\n"
)

var (
	heading = regexp.MustCompile("(?m)^### `([^`]+)`$")
	// GitHub and the registries leave such characters out of the anchor of a heading.
	notInAnchor = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// TestTroubleshooting: the guide has a heading for every diagnostic, and no others, and its first page lists them all.
// With -update it writes that list.
func TestTroubleshooting(t *testing.T) {
	pages, err := filepath.Glob(troubleshooting)
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	first := ""
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		target := strings.TrimSuffix(filepath.Base(page), ".tmpl")
		if target == "troubleshooting.md" {
			first, target = string(content), ""
		}
		for _, row := range heading.FindAllStringSubmatch(string(content), -1) {
			if _, twice := links[row[1]]; twice {
				t.Errorf("the guide to troubleshooting has %q twice", row[1])
			}
			anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(row[1]), ""), " ", "-")
			links[row[1]] = fmt.Sprintf("- [%s](%s#%s)\n", row[1], target, anchor)
		}
	}

	known := map[string]bool{}
	all := summaries(t)
	maps.Copy(all, titles(t))
	for text, summary := range all {
		found := false
		for row := range links {
			if summary.MatchString(row) {
				found, known[row] = true, true
			}
		}
		if !found {
			t.Errorf("the guide to troubleshooting says nothing of %q", text)
		}
	}
	list := ""
	for _, row := range slices.SortedFunc(maps.Keys(links), compareWords) {
		if !known[row] {
			t.Errorf("the guide to troubleshooting has %q, which the provider never says", row)
		}
		list += links[row]
	}

	text, _, found := strings.Cut(first, listHeading)
	if !found {
		t.Fatalf("the first page has no heading %q", listHeading)
	}
	if want := text + listHeading + "\n" + list; want != first {
		if *update {
			err = os.WriteFile(strings.Replace(troubleshooting, "*", "", 1), []byte(want), 0o644)
		} else {
			err = errors.New("the list of all errors and warnings is out of date: run this test with -update")
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// compareWords orders headings as a reader looks for them: the case of letters does not matter.
func compareWords(a, b string) int {
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}
