package status

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// begins reports whether a text begins as the status of a phase does.
func begins(text string) bool {
	for _, p := range All {
		if strings.HasPrefix(text, p.Words()) {
			return true
		}
	}
	return false
}

// TestNoSentenceIsRead: no other package compares a text with one that begins as a status does, and none reads the
// attribute status.
func TestNoSentenceIsRead(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "../status" {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var texts []ast.Expr
			switch n := n.(type) {
			case *ast.CallExpr:
				of, ok := n.Fun.(*ast.SelectorExpr)
				if ok && slices.Contains([]string{"HasPrefix", "HasSuffix", "Contains", "EqualFold", "is"}, of.Sel.Name) {
					texts = n.Args
				}
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Status" && filepath.Base(filepath.Dir(path)) == "placementtf" {
					t.Errorf("%s: the status is read", files.Position(n.Pos()))
				}
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					texts = []ast.Expr{n.X, n.Y}
				}
			case *ast.CaseClause:
				texts = n.List
			}
			for _, text := range texts {
				if l, ok := text.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if said, _ := strconv.Unquote(l.Value); begins(said) && len(said) < 40 {
						t.Errorf("%s: a sentence is compared with %s", files.Position(n.Pos()), l.Value)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
