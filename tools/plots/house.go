package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/stackpolicy/terraform-provider-stackpolicy/"

// imports returns the packages that each package of the product imports, without tests. Names are folders below
// internal.
func imports(top string) (map[string][]string, error) {
	found := map[string]map[string]bool{}
	err := fs.WalkDir(os.DirFS(top), "internal", func(file string, entry fs.DirEntry, err error) error {
		folder := path.Dir(file)
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		name := strings.TrimPrefix(folder, "internal/")
		if found[name] == nil {
			found[name] = map[string]bool{}
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path.Join(top, file), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, is := strings.CutPrefix(imported, module+"internal/"); is {
				found[name][ours] = true
			}
		}
		return nil
	})
	arrows := make(map[string][]string, len(found))
	for name, list := range found {
		arrows[name] = slices.Sorted(maps.Keys(list))
	}
	return arrows, err
}

// depth is the number of arrows on the longest path from a package to one without imports.
func depth(arrows map[string][]string, name string) int {
	deepest := 0
	for _, next := range arrows[name] {
		deepest = max(deepest, 1+depth(arrows, next))
	}
	return deepest
}

// house draws the packages on floors by their imports: each package uses only packages on floors below its own.
func house(top string) (string, error) {
	arrows, err := imports(top)
	if err != nil {
		return "", err
	}
	var floors [][]string
	for _, name := range slices.Sorted(maps.Keys(arrows)) {
		level := depth(arrows, name)
		for len(floors) <= level {
			floors = append(floors, nil)
		}
		floors[level] = append(floors[level], name)
	}
	const width, left, pad, box, gap, above = 960, 20, 12, 26, 8, 76
	p := newPicture(width, 0, "Packages below internal",
		"Floors of packages: each package imports only what is on floors below its own.")
	p.text("small", left, 48, "Each package uses only what is on floors below its own.")
	y := float64(above)
	for _, floor := range slices.Backward(floors) {
		x, row := float64(left+pad), y+pad
		var boxes picture
		for _, name := range floor {
			size := 6.9*float64(len(name)) + 18
			if x+size > width-left-pad {
				x, row = left+pad, row+box+gap
			}
			boxes.rect("card", x, row, size, box)
			boxes.text("mid", x+size/2, row+18, name)
			x += size + gap
		}
		p.rect("floor", left, y, width-2*left, row+box+pad-y)
		p.body.WriteString(boxes.body.String())
		y = row + box + pad + 4
	}
	p.resize(y + 12)
	return p.String(), nil
}
