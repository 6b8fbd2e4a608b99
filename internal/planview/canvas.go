package planview

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// escape escapes a foreign text for SVG.
func escape(s string) string { return html.EscapeString(text.CleanLines(s)) }

// canvas is a picture that is drawn from the top down.
type canvas struct {
	body   strings.Builder
	height int
	colour []int // colours of templates, by their numbers; the first is of nodes without one
}

func (c *canvas) text(class string, x, y int, s string) {
	fmt.Fprintf(&c.body, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, x, y, escape(s))
}

// lines draws a text at the end of the picture, in as many lines as it needs.
func (c *canvas) lines(class, s string) {
	indent := margin
	for _, line := range wrap(s, lineLength) {
		c.height += lineHeight
		c.text(class, indent, c.height, line)
		indent = margin + 16
	}
}

// wrap breaks a text into lines of at most so many characters, at blanks where it can.
func wrap(s string, most int) (lines []string) {
	for s = text.Clean(s); s != ""; {
		line := s
		if runes := []rune(s); len(runes) > most {
			line = string(runes[:most])
			if space := strings.LastIndexByte(line, ' '); space > 0 {
				line = line[:space]
			}
		}
		s = strings.TrimLeft(s[len(line):], " ")
		lines = append(lines, line)
	}
	return lines
}

func (c *canvas) rect(class string, x, y, width, height int) {
	fmt.Fprintf(&c.body, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
		class, x, y, width, height)
}

// shorten cuts a text with more than most characters.
func shorten(s string, most int) string {
	s = text.Clean(s)
	if runes := []rune(s); len(runes) > max(most, 8) {
		return string(runes[:max(most, 8)-1]) + "…"
	}
	return s
}

// dots draws nodes and, below them, their names. It returns where the box ends.
func (c *canvas) dots(nodes []Node, x, y, width int) int {
	if len(nodes) > maxDots {
		return c.kinds(nodes, x, y)
	}
	columns := max(width/pitch, 1)
	names := make([]string, len(nodes))
	for i, n := range nodes {
		if i%columns == 0 {
			y += pitch
		}
		names[i] = n.Name
		c.dot(x+radius+i%columns*pitch, y-radius, n, n.Name+": "+c.words(n))
	}
	const letter = 6 // width, in pixels
	for _, line := range wrap(strings.Join(names, ", "), width/letter) {
		y += lineHeight
		c.text("small", x, y, line)
	}
	return y + 6
}

// kinds draws one dot for all nodes that look the same, with their number, and returns where the box ends.
func (c *canvas) kinds(nodes []Node, x, y int) int {
	type kind struct {
		fate          Fate
		template, old int
		server        string
	}
	var kinds []kind
	counts := map[kind]int{}
	for _, n := range nodes {
		k := kind{n.Fate, n.Template, n.Template, ""}
		if n.Fate == Changes || n.Fate == Remade {
			k.old = n.Old
		}
		if n.Server != "" {
			k.server = struckLabel
		}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		y += pitch
		n := Node{Fate: k.fate, Template: k.template, Old: k.old, Server: k.server}
		label := fmt.Sprintf("%d %s", counts[k], c.words(n))
		c.dot(x+radius, y-radius, n, label)
		c.text("", x+2*radius+8, y-4, label)
	}
	return y + 6
}

// words says what happens to a node.
func (c *canvas) words(n Node) string {
	said := []string{fates[n.Fate] + n.template(len(c.colour) > 1), n.Reason, n.Server}
	return strings.Join(slices.DeleteFunc(said, func(text string) bool { return text == "" }), "; ")
}

// struckLabel is the meaning of an exclamation mark in a dot.
const struckLabel = "something else happens to its server"

// dot draws a node. Its form shows what happens to the node: a disc stays, a disc with a plus is added, a disc with an
// arrow returns, a ring around it means a change in place, a dashed ring means that the node is made again, and a
// circle with a cross is removed. The colour shows the template. An exclamation mark means that the plan changes the
// node's server although no node change needs it.
func (c *canvas) dot(x, y int, n Node, label string) {
	c.body.WriteString("<g>")
	if label != "" {
		fmt.Fprintf(&c.body, "<title>%s</title>", escape(label))
	}
	fill := c.colour[n.Template]
	switch n.Fate {
	case Leaves:
		fmt.Fprintf(&c.body,
			`<circle class="hollow s%d" cx="%d" cy="%d" r="%d"/><path class="cross" d="M%d %dl8 8m0 -8l-8 8"/>`, fill,
			x, y, radius-1, x-4, y-4)
	case Comes:
		fmt.Fprintf(&c.body, `<circle class="f%d" cx="%d" cy="%d" r="%d"/><path class="mark" d="M%d %dh10m-5 -5v10"/>`,
			fill, x, y, radius, x-5, y)
	case Returns:
		fmt.Fprintf(&c.body, `<circle class="f%d" cx="%d" cy="%d" r="%d"/>`+
			`<path class="mark" d="M%d %dh-8m3 -3l-3 3l3 3"/>`,
			fill, x, y, radius, x+4, y)
	case Changes, Remade:
		again := ""
		if n.Fate == Remade {
			again = " again"
		}
		fmt.Fprintf(&c.body,
			`<circle class="ring%s s%d" cx="%d" cy="%d" r="%d"/><circle class="f%d" cx="%d" cy="%d" r="%d"/>`, again,
			c.colour[n.Old], x, y, radius, fill, x, y, radius-4)
	default:
		fmt.Fprintf(&c.body, `<circle class="f%d" cx="%d" cy="%d" r="%d"/>`, fill, x, y, radius)
	}
	if n.Server != "" {
		fmt.Fprintf(&c.body, `<path class="struck" d="M%d %dv5m0 2v2"/>`, x, y-5)
	}
	c.body.WriteString("</g>\n")
}
