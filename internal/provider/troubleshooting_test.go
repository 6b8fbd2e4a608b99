package provider_test

import (
	"cmp"
	"errors"
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
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// summaryAt has the index of the argument that is the summary, by the name of the function.
var summaryAt = map[string]int{"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1}

// summaries finds the summaries of all diagnostics in the source of the provider, as regular expressions, because parts of a
// composed summary vary.
func summaries(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob("*.go")
	folders, more := filepath.Glob("*/*.go")
	require.NoError(t, errors.Join(err, more))
	found := map[string]*regexp.Regexp{}
	positions := token.NewFileSet()
	for _, name := range append(files, folders...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, name, nil, 0)
		require.NoError(t, err)
		for n := range ast.Preorder(file) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			function, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			i, adds := summaryAt[function.Sel.Name]
			if isNamed(function.X, "attribute") && function.Sel.Name == "Check" {
				i, adds = 1, true
			}
			if adds && !isTitle(call.Args[i]) {
				text := summaryText(call.Args[i])
				assert.NotEmpty(t, text, "%s: the summary cannot be read here", positions.Position(call.Pos()))
				found[text] = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(text), "%s", ".+") + "$")
			}
		}
	}
	return found
}

// summaryText returns the text of a summary: literal, a format, or the sentence of
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

// isTitle reports whether an expression is the title of a notice or an error of the roster, or of a check of its caller.
func isTitle(e ast.Expr) bool {
	f, ok := e.(*ast.SelectorExpr)
	return ok && strings.EqualFold(f.Sel.Name, "title")
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// titles returns the titles of the notices and errors that the roster makes, and of mistakes that a plan shows.
func titles(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob("../roster/*/*.go")
	require.NoError(t, err)
	files = append(files, "../wiring/planned.go")
	found := map[string]*regexp.Regexp{}
	said := regexp.MustCompile(`(?:\bTitle: +|\b(?:tell|notice)\(|ArgumentError\{(?:\w+|\[\]string\{.+?\}), )"(.+?)"`)
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, title := range said.FindAllStringSubmatch(string(source), -1) {
			found[title[1]] = regexp.MustCompile("^" + regexp.QuoteMeta(title[1]) + "$")
		}
	}
	require.NotEmpty(t, found, "titles of the roster")
	return found
}

// troubleshooting is the page, which ends with a table of diagnostics that need more words than their own.
const (
	troubleshooting = "../../templates/guides/troubleshooting.md.tmpl"
	tableHeading    = "\n|it says|what to do|\n|---|---|\n"
)

// TestTroubleshooting: each row of the table is a diagnostic of the provider. With -update it writes the rows.
func TestTroubleshooting(t *testing.T) {
	all := summaries(t)
	maps.Copy(all, titles(t))
	acctest.Table(t, troubleshooting, tableHeading, *update, func(rows map[string]string) (keys []string) {
		for _, summary := range all {
			keys = append(keys, slices.DeleteFunc(slices.Collect(maps.Keys(rows)), func(title string) bool { return !summary.MatchString(title) })...)
		}
		slices.SortFunc(keys, func(a, b string) int { // as a reader looks for them
			return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
		})
		return slices.Compact(keys)
	})
}
