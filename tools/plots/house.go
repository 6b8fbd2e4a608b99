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

// outside the product: test harnesses, the fake cloud, benchmarks and the demo.
var outside = []string{"internal/acctest", "internal/bench", "internal/demo", "internal/fakecloud"}

// imports reads which packages of the product each of them imports, tests left
// out. Names are folders below internal.
func imports(top string) (map[string][]string, error) {
	found := map[string]map[string]bool{}
	err := fs.WalkDir(os.DirFS(top), "internal", func(file string, entry fs.DirEntry, err error) error {
		folder := path.Dir(file)
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			slices.ContainsFunc(outside, func(o string) bool { return folder == o || strings.HasPrefix(folder, o+"/") }) {
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

// depth is the number of arrows on the longest way from a package to one that
// imports none.
func depth(arrows map[string][]string, name string) int {
	deepest := 0
	for _, next := range arrows[name] {
		deepest = max(deepest, 1+depth(arrows, next))
	}
	return deepest
}

// reaches reports whether a package imports another by way of a third.
func reaches(arrows map[string][]string, from, to string) bool {
	return slices.ContainsFunc(arrows[from], func(via string) bool {
		return via != to && (slices.Contains(arrows[via], to) || reaches(arrows, via, to))
	})
}

// house draws the packages by their imports, each above all that it imports. An
// arrow that follows from others is left out.
func house(top string) (string, error) {
	arrows, err := imports(top)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(arrows)) {
		level := depth(arrows, name)
		for len(rows) <= level {
			rows = append(rows, nil)
		}
		rows[level] = append(rows[level], name)
	}
	const width, left, boxHeight, rowHeight, above = 960, 20, 26, 78, 56
	p := newPicture(width, above+rowHeight*float64(len(rows))-20, "Packages below internal, and what they import",
		"Each package stands above all that it imports; no arrow points up.")
	type point struct{ x, y, half float64 }
	at := map[string]point{}
	for level, row := range rows {
		slot := float64(width-2*left) / float64(len(row))
		for i, name := range row {
			at[name] = point{left + slot*(float64(i)+0.5), above + rowHeight*float64(len(rows)-1-level), min(slot-8, 6.6*float64(len(name))+18) / 2}
		}
	}
	names := slices.Sorted(maps.Keys(arrows))
	for _, name := range names {
		for _, next := range arrows[name] {
			if from, to := at[name], at[next]; !reaches(arrows, name, next) {
				p.path("axis", from.x, from.y+boxHeight, to.x, to.y-4)
				p.path("axis", to.x-4, to.y-8, to.x, to.y-1, to.x+4, to.y-8)
			}
		}
	}
	for _, name := range names {
		box := at[name]
		p.rect("card", box.x-box.half, box.y, 2*box.half, boxHeight)
		p.text("mid", box.x, box.y+18, name)
	}
	return p.String(), nil
}
