// Package links_test follows the links of the documentation.
package links_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
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

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	named   = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	// ours matches the address of a file of this repository on the web.
	ours = regexp.MustCompile(`^https://(?:github\.com/stackpolicy/terraform-provider-stackpolicy/(?:blob|tree)|` +
		`raw\.githubusercontent\.com/stackpolicy/terraform-provider-stackpolicy)/main/([^#]+)`)
	registry    = regexp.MustCompile(`^https://registry\.terraform\.io/providers/stackpolicy/stackpolicy/`)
	notInAnchor = regexp.MustCompile(`[^\pL\pN _-]`)
)

// page is a file of Markdown.
type page struct {
	prose   string // without blocks of code
	anchors map[string]bool
}

func read(t *testing.T, file string) page {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	p := page{prose: fence.ReplaceAllString(string(content), ""), anchors: map[string]bool{}}
	for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
		anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		for again := 1; p.anchors[anchor]; again++ {
			anchor += "-" + strconv.Itoa(again)
		}
		p.anchors[anchor] = true
	}
	for _, m := range named.FindAllStringSubmatch(p.prose, -1) {
		p.anchors[m[1]] = true
	}
	return p
}

// pages returns the files that people read on GitHub or in a registry.
func pages(t *testing.T) map[string]page {
	t.Helper()
	found := map[string]page{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".github" {
			return fs.SkipDir
		}
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" && !strings.Contains(name, "testdata/") {
			found[name] = read(t, name)
		}
		return err
	})
	require.NoError(t, err)
	return found
}

// TestLinks: each link within the repository leads to a file, and to a heading in it.
//
// A link between pages of docs/ is relative and ends in .md. That form works on GitHub and in the Terraform Registry,
// which removes the ending and keeps the reader in the present version. Without the ending GitHub finds no file, and
// from the first page (which the registry serves without a slash at its end) the registry finds none either. The
// registry has only the files of docs/, so a link to any other file needs its address on the web.
func TestLinks(t *testing.T) {
	all := pages(t)
	require.GreaterOrEqual(t, len(all), 50, "pages")
	count := 0
	for name, p := range all {
		inDocs := strings.HasPrefix(name, "docs/")
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(p.prose, ""), -1) {
			address := m[1]
			target, anchor, _ := strings.Cut(address, "#")
			switch file := ours.FindStringSubmatch(address); {
			case file != nil:
				target = file[1]
			case registry.MatchString(address) && inDocs:
				t.Errorf("%s: %s leaves the version that is read: link to the file", name, address)
				continue
			case strings.Contains(address, ":"):
				continue // another site
			case target == "":
				target = name
			default:
				target = path.Join(path.Dir(name), target)
				if inDocs && (!strings.HasPrefix(target, "docs/") || path.Ext(target) != ".md") {
					t.Errorf("%s: %s is not a page of docs/, which ends in .md", name, address)
				}
			}
			count++
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: %s leads to no file", name, address)
				continue
			}
			if other, ok := all[target]; anchor != "" && (!ok || !other.anchors[anchor]) {
				t.Errorf("%s: %s leads to no heading", name, address)
			}
		}
	}
	assert.GreaterOrEqual(t, count, 200, "links")
}

// TestProviders: a page with a configuration says where its providers come from, or links to a page that does.
func TestProviders(t *testing.T) {
	count := 0
	for name := range pages(t) {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if text := string(content); strings.HasPrefix(name, "docs/") && (strings.Contains(text, "\nresource \"") || strings.Contains(text, "\nmodule \"")) {
			count++
			assert.Contains(t, text, "required_providers", "%s has a configuration, and neither required_providers nor a link to them", name)
		}
	}
	assert.GreaterOrEqual(t, count, 18, "pages with a configuration")
}

var (
	// declared matches a declaration in a file of the repository, such as `internal/roster/plan.go: Plan`.
	declared = regexp.MustCompile("`([a-z][\\w/.-]*\\.go): ([\\w.]+)`")
	// located matches a file or folder of the repository. A part in capitals stands for a name.
	located     = regexp.MustCompile("`((?:internal|cmd|examples|templates|test|tools)/[\\w/.-]+)`")
	placeholder = regexp.MustCompile(`(?:^|[/_])[A-Z]+(?:[/.]|$)`)
)

// TestNames: the files, folders and functions that CONTRIBUTING.md names exist.
func TestNames(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	functions := declared.FindAllStringSubmatch(string(content), -1)
	assert.GreaterOrEqual(t, len(functions), 20, "functions")
	files := map[string]map[string]bool{}
	for _, m := range functions {
		file, name := m[1], m[2]
		if files[file] == nil {
			files[file] = declarations(t, file)
		}
		assert.True(t, files[file][name], "%s declares no %s", file, name)
	}
	for _, m := range located.FindAllStringSubmatch(string(content), -1) {
		_, err := os.Stat(filepath.Join(root, m[1]))
		assert.True(t, err == nil || placeholder.MatchString(m[1]), "%s is not there", m[1])
	}
}

// declarations returns the names of a file's functions, types, constants and variables. The name of a method begins
// with its type.
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

// TestImports: the table in CONTRIBUTING.md has the packages that each package below internal imports.
func TestImports(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	said := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `internal/([\\w/]+)` \\|.*\\| (.*) \\|$").FindAllStringSubmatch(string(content), -1) {
		said[row[1]] = strings.TrimPrefix(row[2], "gophercloud, ")
	}
	uses := map[string]map[string]bool{}
	files, err := filepath.Glob(root + "/internal/*/*.go")
	require.NoError(t, err)
	deeper, err := filepath.Glob(root + "/internal/*/*/*.go")
	require.NoError(t, err)
	for _, file := range append(files, deeper...) {
		_, folder, _ := strings.Cut(filepath.ToSlash(filepath.Dir(file)), "internal/")
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(folder, "provider") {
			continue
		}
		if uses[folder] == nil {
			uses[folder] = map[string]bool{}
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range tree.Imports {
			if _, name, ours := strings.Cut(strings.Trim(spec.Path.Value, `"`), "/terraform-provider-stackpolicy/internal/"); ours {
				uses[folder][name] = true
			}
		}
	}
	assert.GreaterOrEqual(t, len(uses), 20, "packages")
	for name, imports := range uses {
		want := cmp.Or(strings.Join(slices.Sorted(maps.Keys(imports)), ", "), "the standard library")
		assert.Equal(t, want, said[name], "what internal/%s uses", name)
	}
}

// TestFolders: what Terraform sees is in files of the same names in each folder of internal/provider.
func TestFolders(t *testing.T) {
	files, err := filepath.Glob(root + "/internal/provider/*tf/*.go")
	require.NoError(t, err)
	made, schemas := regexp.MustCompile(`\bbackend\.(Resource|DataSource|Action)\[\w+\]\{`),
		regexp.MustCompile(`(?m)^func .* schema\.(?:Schema|Block|Attribute) \{`)
	names := map[string]string{"Resource": "resource.go", "DataSource": "data_source.go", "Action": "action.go"}
	models := regexp.MustCompile(`(?m)^type (?:attachmentModel|\w*[pP]lanModel|model) struct`)
	count := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, of := range made.FindAllSubmatch(content, -1) {
			count++
			assert.Equal(t, names[string(of[1])], name, "a %s in %s", of[1], file)
		}
		if !strings.HasSuffix(name, "schema.go") {
			assert.False(t, schemas.Match(content), "a schema in %s", file)
		}
		if !strings.HasSuffix(name, "model.go") {
			assert.False(t, models.Match(content), "a model in %s", file)
		}
	}
	assert.GreaterOrEqual(t, count, 9, "resources, data sources and actions")
}
