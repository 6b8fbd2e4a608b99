package main

import (
	"fmt"
	"unicode/utf8"
)

// lane is a row of a timeline: a thing, and what it does from when to when.
type lane struct {
	name  string
	spans []span
}

// span is a part of a lane. Times are in steps, from 0.
type span struct {
	from, to float64
	text     string
	fill     int // of the series
}

// note marks a moment across all lanes. Later ones come first, so that no line
// crosses the text of another.
type note struct {
	at   float64
	text string
}

// textWidth is about as wide as a text gets with a wide font, in pixels.
func textWidth(text string, size float64) float64 {
	return 0.6 * size * float64(utf8.RuneCountInString(text))
}

// timeline draws lanes one below the other. A text that does not fit into its
// span is an error.
func timeline(title, about string, steps float64, lanes []lane, notes []note) (string, error) {
	const left, top, width, row, bar = 190, 56, 640, 44, 28
	bottom := float64(top + row*len(lanes))
	p := newPicture(860, bottom+24+20*float64(len(notes)), title, about)
	x := func(at float64) float64 { return left + width*at/steps }
	for i, n := range notes {
		p.path("share axis", x(n.at), top-8, x(n.at), bottom+4+20*float64(i))
	}
	for i, l := range lanes {
		y := float64(top + row*i)
		if textWidth(l.name, 13) > left-30 {
			return "", fmt.Errorf("the name %q is too long", l.name)
		}
		p.text("", 20, y+18, l.name)
		for _, s := range l.spans {
			if room := x(s.to) - x(s.from) - 8; textWidth(s.text, 13) > room {
				return "", fmt.Errorf("%q needs more than %.0f pixels", s.text, room)
			}
			p.rect(fmt.Sprintf("fill%d", s.fill), x(s.from)+1, y, x(s.to)-x(s.from)-2, bar)
			p.text("on mid", (x(s.from)+x(s.to))/2, y+18, s.text)
		}
	}
	for i, n := range notes {
		y := bottom + 14 + 20*float64(i)
		if x(n.at)+textWidth(n.text, 11)/2 > 850 {
			return "", fmt.Errorf("the note %q is too long", n.text)
		}
		p.text("small mid", x(n.at), y, n.text)
	}
	return p.String(), nil
}

// What a bar of a timeline means.
const (
	serving = 2 // in service
	working = 0 // Terraform waits for it
	leaving = 1 // on the way out
	idle    = 3
)

// drain is what happens to a node that is removed.
func drain() (string, error) {
	return timeline(
		"A node is removed",
		"The hook, the shutdown and the grace period of the deletion attachment, and then the server is destroyed",
		12,
		[]lane{
			{
				"deletion attachment",
				[]span{
					{2, 6, "hook, at most timeout", working},
					{6, 8, "shutdown", working},
					{8, 10.5, "grace period", working},
				},
			},
			{"consumer of the hook", []span{{2, 6, "drains the node", leaving}}},
			{
				"server",
				[]span{
					{0, 2, "in service", serving},
					{2, 6, "runs, is drained", leaving},
					{6, 8, "shuts down", leaving},
					{8, 10.5, "is off", idle},
					{10.5, 12, "destroy", leaving},
				},
			},
		},
		[]note{
			{10.5, "Terraform destroys the server"},
			{6, "the hook completes, or fails with default_result = \"CONTINUE\""},
			{2, "the apply begins"},
		},
	)
}

// batch is what an apply does that replaces two of six nodes.
func batch() (string, error) {
	return timeline(
		"An apply replaces two of six nodes",
		"New servers are created and get ready before the old ones are drained and destroyed",
		12,
		[]lane{
			{
				"two new servers",
				[]span{{0, 2, "create", working}, {2, 5, "boot", working}, {5, 12, "in service", serving}},
			},
			{"readiness attachment", []span{{2, 5, "waits for them", working}}},
			{"deletion attachments", []span{{5, 9, "drain the two old nodes", working}}},
			{
				"two old servers",
				[]span{{0, 5, "in service", serving}, {5, 9, "are drained", leaving}, {9, 11, "destroy", leaving}},
			},
			{"the four others", []span{{0, 12, "in service, not touched", serving}}},
		},
		[]note{
			{9, "all are drained before the first is destroyed"},
			{5, "if the new servers do not get ready, the apply ends here: nothing old was drained or destroyed"},
		},
	)
}
