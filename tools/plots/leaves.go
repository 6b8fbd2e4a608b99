package main

import "fmt"

// leaves draws how a plan chooses the nodes that are removed: each step takes
// what the steps above it have left to remove.
func leaves() (string, error) {
	const left, width, top, height, row = 20, 560, 56, 46, 74
	steps := []struct{ name, what string }{
		{"1. The nodes that you name", "deletion.candidates, whatever place they are in"},
		{"2. Nodes that are not in service", "without a server, in ERROR, being built, or not marked"},
		{"3. Nodes that are tainted", "marked in Nova as the first to remove"},
		{"4. A place that has too much", "not listed, then above its cap, then furthest above its share"},
		{
			"5. In that place, the first node by the criterion",
			"oldest, youngest, oldest profile or random; UNKNOWN before all",
		},
	}
	p := newPicture(
		860,
		top+row*float64(len(steps))+10,
		"Which node is removed",
		"Five steps: the nodes named, those not in service, those tainted, then a place by its share and in it a "+
			"node by the criterion; protected nodes never",
	)
	for i, step := range steps {
		y := float64(top + row*i)
		if textWidth(step.what, 11) > width-24 || textWidth(step.name, 13) > width-24 {
			return "", fmt.Errorf("%q does not fit", step.name)
		}
		p.rect("card", left, y, width, height)
		p.text("", left+12, y+19, step.name)
		p.text("small", left+12, y+36, step.what)
		if i == len(steps)-1 {
			continue
		}
		const middle = left + width/2
		p.path("axis", middle, y+height, middle, y+row-3)
		p.path("axis", middle-4, y+row-9, middle, y+row-2, middle+4, y+row-9)
		p.text(
			"small",
			middle+12,
			y+height+17,
			map[bool]string{true: "one of its nodes", false: "more must be removed"}[i == 3],
		)
	}
	const bracket, bottom = left + width + 20, top + row*4 + height
	p.path("axis", bracket-8, top, bracket, top, bracket, bottom, bracket-8, bottom)
	for i, line := range []string{
		"Protected nodes are",
		"never removed: listed,",
		"marked, or locked in",
		"Nova. Steps 4 and 5",
		"leave each place at",
		"least its min.",
	} {
		p.text("", bracket+14, top+120+20*float64(i), line)
	}
	// The last step is taken again and again.
	const back = float64(top + row*3 + height/2)
	p.text("small end", left+width-4, back+height/2+17, "again until enough")
	p.path(
		"share axis",
		left+width,
		bottom-height/2,
		left+width+8,
		bottom-height/2,
		left+width+8,
		back,
		left+width,
		back,
	)
	return p.String(), nil
}
