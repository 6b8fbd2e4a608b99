// Runs prints the tests of a run, as arguments of "go test":
//
//	runs sweep [-only PACKAGE] [-except PACKAGE]
//
// With -left it prints what the run leaves out, for people. A test says in itself in which run it is, or its rows do:
// see
// package test/runs.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// found is a test function, and the runs that have it or some of its rows.
type found struct {
	pkg, name string
	runs      []string
}

// commands are the make targets of the runs.
var commands = map[string]string{"short": "make test", "sweep": "make sweeps", "night": "make lives"}

func main() {
	only := flag.String("only", "", "the only package")
	except := flag.String("except", "", "a package that is left out")
	left := flag.Bool("left", false, "print what the run leaves out")
	if len(os.Args) < 2 || commands[os.Args[1]] == "" {
		fmt.Fprintln(os.Stderr, "usage: runs short|sweep|night [-only PACKAGE] [-except PACKAGE] [-left]")
		os.Exit(2)
	}
	_ = flag.CommandLine.Parse(os.Args[2:]) // it exits
	all, faults := tests(".")
	if len(faults) > 0 {
		fmt.Fprintln(os.Stderr, strings.Join(faults, "\n"))
		os.Exit(1)
	}
	if *left {
		fmt.Print(leftOut(all, os.Args[1]))
		return
	}
	fmt.Println(arguments(all, os.Args[1], *only, *except))
}

// arguments are those of "go test" for the tests of a run.
func arguments(all []found, run, only, except string) string {
	var names, packages []string
	for _, t := range all {
		if slices.Contains(t.runs, run) && (only == "" || only == t.pkg) && except != t.pkg {
			names, packages = append(names, t.name), append(packages, t.pkg)
		}
	}
	slices.Sort(names)
	return "-run ^(" + strings.Join(slices.Compact(names), "|") + ")$ " + strings.Join(slices.Compact(packages), " ")
}

// leftOut has a line for each run that has tests which the given one has not.
func leftOut(all []found, run string) (text string) {
	for _, other := range []string{"sweep", "night"} {
		var names []string
		for _, t := range all {
			if slices.Contains(t.runs, other) && !slices.Contains(t.runs, run) {
				names = append(names, strings.TrimPrefix(t.name, "Test"))
			}
		}
		if len(names) > 0 {
			text += fmt.Sprintf("!!! NOT RUN: %d tests, or most of their rows, which %q has: %s\n", len(names),
				commands[other], strings.Join(names, ", "))
		}
	}
	return text
}

// tests finds the test functions of this module below a folder, sorted by package, and what is wrong with their marks.
func tests(root string) (all []found, faults []string) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root:
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
		case strings.HasSuffix(path, "_test.go"):
			tree, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			in, wrong := file(tree)
			for i := range in {
				in[i].pkg = "./" + filepath.ToSlash(filepath.Dir(path))
			}
			for _, fault := range wrong {
				faults = append(faults, path+": "+fault)
			}
			all = append(all, in...)
		}
		return nil
	})
	if err != nil {
		faults = append(faults, err.Error())
	}
	return all, faults
}

// file finds the test functions of a file.
func file(tree *ast.File) (all []found, faults []string) {
	tables := marks(tree.Decls, func(d ast.Decl) bool { _, is := d.(*ast.GenDecl); return is })
	for _, d := range tree.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Body == nil {
			continue
		}
		said, dynamic, short := calls(f.Body)
		own := marks(f.Body.List, func(ast.Stmt) bool { return true })
		if dynamic {
			own = append(own, tables...)
		}
		whole := top(f.Body.List)
		name := f.Name.Name
		switch isTest := f.Recv == nil && strings.HasPrefix(name, "Test") && name != "TestMain"; {
		case short:
			faults = append(faults, name+" asks testing.Short: a test says in which run it is")
		case !isTest && said > 0:
			faults = append(faults, name+" is no test, and says in which run it is")
		case isTest && whole != "" && said > 1:
			faults = append(faults, name+" is in the run "+whole+", and its rows say another: say it in all rows")
		case isTest && whole != "":
			all = append(all, found{name: name, runs: []string{whole}})
		case isTest && said > 0:
			all = append(all, found{name: name, runs: own})
		case isTest:
			all = append(all, found{name: name, runs: []string{"short"}})
		}
	}
	return all, faults
}

// selected returns the name that is selected from a package, such as "In" of runs.In.
func selected(n ast.Node, pkg string) string {
	if s, is := n.(*ast.SelectorExpr); is {
		if of, is := s.X.(*ast.Ident); is && of.Name == pkg {
			return s.Sel.Name
		}
	}
	return ""
}

// marks lists the runs that some nodes name.
func marks[N ast.Node](nodes []N, which func(N) bool) (named []string) {
	for _, n := range nodes {
		if which(n) {
			ast.Inspect(n, func(n ast.Node) bool {
				if name := strings.ToLower(selected(n, "runs")); commands[name] != "" && !slices.Contains(named, name) {
					named = append(named, name)
				}
				return true
			})
		}
	}
	return named
}

// calls counts the calls of runs.In, and reports whether one of them names no run, and whether testing.Short is asked.
func calls(body *ast.BlockStmt) (count int, dynamic, short bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		short = short || selected(n, "testing") == "Short"
		if call, is := n.(*ast.CallExpr); is && selected(call.Fun, "runs") == "In" {
			count++
			dynamic = dynamic || len(marks(call.Args[1:], func(ast.Expr) bool { return true })) == 0
		}
		return true
	})
	return count, dynamic, short
}

// top returns the run that a whole test says it is in.
func top(body []ast.Stmt) string {
	for _, s := range body {
		if e, is := s.(*ast.ExprStmt); is {
			if call, is := e.X.(*ast.CallExpr); is && selected(call.Fun, "runs") == "In" {
				return strings.ToLower(selected(call.Args[1], "runs"))
			}
		}
	}
	return ""
}
