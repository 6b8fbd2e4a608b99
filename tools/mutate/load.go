package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// pkg is a package with its mutants in the text of its files.
type pkg struct {
	dir, name string
	tests     string            // pattern of the tests to run
	skip      *regexp.Regexp    // of those to leave out
	rapid     bool              // whether its tests use pgregory.net/rapid
	files     map[string]string // by name
	mutants   []mutant
	made      int // mutants, of which those are a sample
}

// mutant is one small change.
type mutant struct {
	id            int
	file          string // with its directory
	line          int
	function      string
	before, after string
}

// key names a mutant in the list of those that make no difference: without the
// line, which changes often.
func (m mutant) key() string {
	return fmt.Sprintf("%s: %s: %s -> %s", m.file, m.function, m.before, m.after)
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s -> %s", m.file, m.line, m.function, m.before, m.after)
}

// load reads a package and makes the mutants of one of its files, or of all.
func load(dir, only string) (*pkg, error) {
	fset := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &pkg{dir: dir, files: map[string]string{}}
	var files []*ast.File
	var names []string
	for _, path := range paths {
		if ours, err := build.Default.MatchFile(dir, filepath.Base(path)); err != nil || !ours {
			if err != nil {
				return nil, err
			}
			continue // of another system
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(path, "_test.go") {
			p.rapid = p.rapid || strings.Contains(string(text), `"pgregory.net/rapid"`)
			if only != "" && filepath.Base(path) == strings.TrimSuffix(only, ".go")+"_test.go" {
				p.tests = pattern(testNames(string(text)))
			}
			continue
		}
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files, names = append(files, file), append(names, filepath.Base(path))
		p.name = file.Name.Name
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	find, err := exports(dir)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", find)}
	checked, err := config.Check(dir, fset, files, info)
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		if only != "" && names[i] != only {
			continue
		}
		path := filepath.Join(dir, names[i])
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m := &mutator{
			pkg:     p,
			fset:    fset,
			info:    info,
			checked: checked,
			text:    string(text),
			path:    path,
			clause:  file.Name.End(),
			imports: map[string]string{},
			same:    map[*ast.BasicLit]bool{},
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && !m.makesSchema(f) {
				m.function = f.Name.Name
				ast.Inspect(f.Body, m.visit)
			}
		}
		p.files[names[i]] = m.result()
	}
	return p, nil
}

// exports finds the compiled packages that a package imports.
func exports(dir string) (func(path string) (io.ReadCloser, error), error) {
	arguments := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./" + dir}
	out, err := exec.CommandContext(context.Background(), "go", arguments...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", dir, err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }, nil
}

// testNames lists the tests of a file.
func testNames(text string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}
