package links_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// A declaration in a file of ours, such as `internal/roster/plan.go: Plan`.
	declared = regexp.MustCompile("`([a-z][\\w/.-]*\\.go): ([\\w.]+)`")
	// A file or folder of ours. A part in capitals stands for a name.
	located     = regexp.MustCompile("`((?:internal|cmd|examples|site|templates|test|tools)/[\\w/.-]+)`")
	placeholder = regexp.MustCompile(`(?:^|[/_])[A-Z]+(?:[/.]|$)`)
)

// TestNames: the files, folders and functions that CONTRIBUTING.md names are there.
func TestNames(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	functions := declared.FindAllStringSubmatch(string(content), -1)
	if len(functions) < 20 {
		t.Errorf("only %d functions were found", len(functions))
	}
	files := map[string]map[string]bool{}
	for _, m := range functions {
		file, name := m[1], m[2]
		if files[file] == nil {
			files[file] = declarations(t, file)
		}
		if !files[file][name] {
			t.Errorf("%s declares no %s", file, name)
		}
	}
	for _, m := range located.FindAllStringSubmatch(string(content), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil && !placeholder.MatchString(m[1]) {
			t.Errorf("%s is not there", m[1])
		}
	}
}

// declarations are the names of a file's functions, types, constants and variables; those of
// methods begin with their type.
func declarations(t *testing.T, file string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, 0)
	if err != nil {
		t.Error(err)
		return names
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				receiver := d.Recv.List[0].Type
				if pointer, ok := receiver.(*ast.StarExpr); ok {
					receiver = pointer.X
				}
				if of, ok := receiver.(*ast.Ident); ok {
					name = of.Name + "." + name
				}
			}
			names[name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}
