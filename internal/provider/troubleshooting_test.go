package provider_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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

// TestTroubleshooting: the guide has a heading for every diagnostic, and no others.
func TestTroubleshooting(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/troubleshooting.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^### `([^`]+)`$").FindAllStringSubmatch(string(guide), -1) {
		if _, twice := rows[row[1]]; twice {
			t.Errorf("the guide to troubleshooting has %q twice", row[1])
		}
		rows[row[1]] = false
	}
	all := summaries(t)
	maps.Copy(all, titles(t))
	for text, summary := range all {
		told := false
		for row := range rows {
			if summary.MatchString(row) {
				told, rows[row] = true, true
			}
		}
		if !told {
			t.Errorf("the guide to troubleshooting says nothing of %q", text)
		}
	}
	for row, known := range rows {
		if !known {
			t.Errorf("the guide to troubleshooting has %q, which the provider never says", row)
		}
	}
}
