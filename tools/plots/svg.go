package main

import (
	"fmt"
	"html"
	"strings"
)

// colour is a colour of the light theme and its counterpart in the dark theme. A picture has its own background and
// fits a page of either theme; a reader cannot switch it.
type colour struct{ light, dark string }

var (
	ink    = colour{"#1f2328", "#e6edf3"}
	pale   = colour{"#59636e", "#9198a1"}
	paper  = colour{"#ffffff", "#0d1117"}
	edge   = colour{"#d1d9e0", "#3d444d"}
	axis   = colour{"#8c959f", "#6e7681"}
	grid   = colour{"#e4e8ec", "#262c36"}
	series = []colour{{"#0969da", "#58a6ff"}, {"#bc4c00", "#f0883e"}, {"#1a7f37", "#3fb950"}, {"#8c959f", "#6e7681"}}
)

// style is the style sheet of all pictures.
func style() string {
	var light, dark strings.Builder
	rule := func(selector, property string, c colour) {
		fmt.Fprintf(&light, "  %s { %s: %s }\n", selector, property, c.light)
		fmt.Fprintf(&dark, "    %s { %s: %s }\n", selector, property, c.dark)
	}
	rule("text", "fill", ink)
	rule(".small", "fill", pale)
	rule(".on", "fill", paper)
	rule(".card", "fill", paper)
	rule(".card", "stroke", edge)
	rule(".floor", "fill", grid)
	rule(".axis", "stroke", axis)
	rule(".grid", "stroke", grid)
	for i, c := range series {
		rule(fmt.Sprintf(".fill%d", i), "fill", c)
		rule(fmt.Sprintf(".line%d", i), "stroke", c)
	}
	return `<style>
  text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
  .title { font-weight: 600; font-size: 15px }
  .small { font-size: 11px }
  .end { text-anchor: end }
  .mid { text-anchor: middle }
  path { fill: none }
  .line { stroke-width: 2 }
  .share { stroke-dasharray: 3 3 }
` + light.String() + "  @media (prefers-color-scheme: dark) {\n" + dark.String() + "  }\n</style>\n"
}

// picture is an SVG that is being drawn. Lengths are in pixels.
type picture struct {
	body          strings.Builder
	width, height float64
	about         string
}

func newPicture(width, height float64, title, about string) *picture {
	p := &picture{width: width, height: height, about: about}
	p.text("title", 20, 28, title)
	return p
}

// resize sets the height of a picture once it is known.
func (p *picture) resize(height float64) { p.height = height }

func (p *picture) String() string {
	background := picture{}
	background.rect("card", 0.5, 0.5, p.width-1, p.height-1)
	return fmt.Sprintf(
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%[1]g\" height=\"%[2]g\" "+
			"role=\"img\" aria-label=\"%[3]s\">\n%s%s</svg>\n",
		p.width, p.height, html.EscapeString(p.about), style(), background.body.String()+p.body.String())
}

func (p *picture) text(class string, x, y float64, text string) {
	fmt.Fprintf(&p.body, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, x, y, html.EscapeString(text))
}

func (p *picture) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(&p.body, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>\n",
		class, x, y, width, height)
}

// path draws a line through points, whose x and y alternate.
func (p *picture) path(class string, points ...float64) {
	fmt.Fprintf(&p.body, "<path class=\"%s\" d=\"M", class)
	for i := 0; i < len(points); i += 2 {
		fmt.Fprintf(&p.body, " %.1f %.1f", points[i], points[i+1])
	}
	p.body.WriteString("\"/>\n")
}
