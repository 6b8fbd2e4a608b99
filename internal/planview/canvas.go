package planview

import (
	"fmt"
	"html"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// escape escapes a foreign text for HTML and SVG.
func escape(s string) string { return html.EscapeString(text.CleanLines(s)) }

// canvas is a picture that is drawn from the top down.
type canvas struct {
	body   strings.Builder
	height int
	colour map[int]int // colours of templates
	scale  float64     // length of bars, in pixels for each node
}

// picture returns an svg element with everything that was drawn. If it stands alone it contains its style sheet.
func (c *canvas) picture(id, title, description string, alone bool) string {
	style, namespace := "", ""
	if alone {
		style, namespace = "<style>\n"+css+"</style>\n", ` xmlns="http://www.w3.org/2000/svg"`
	}
	return fmt.Sprintf("<svg%s class=\"pv\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "+
		"aria-labelledby=\"%s-title\" aria-describedby=\"%s-desc\">\n"+
		"<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n%s<rect class=\"paper\" width=\"%d\" "+
		"height=\"%d\"/>\n%s</svg>\n", namespace, wide, c.height, wide, c.height, id, id, id, escape(title), id,
		escape(description), style, wide, c.height, c.body.String())
}

func (c *canvas) text(class string, x, y int, s string) {
	anchor := ""
	if class == "end" {
		class, anchor = "", ` text-anchor="end"`
	}
	fmt.Fprintf(&c.body, "<text class=\"%s\" x=\"%d\" y=\"%d\"%s>%s</text>\n", class, x, y, anchor, escape(s))
}

// lines draws a text at the end of the picture, in as many lines as it needs.
func (c *canvas) lines(class, s string) {
	indent := margin
	for s = text.Clean(s); s != ""; {
		line := s
		if runes := []rune(s); len(runes) > lineLength {
			line = string(runes[:lineLength])
			if space := strings.LastIndexByte(line, ' '); space > 0 {
				line = line[:space]
			}
		}
		s = strings.TrimLeft(s[len(line):], " ")
		c.height += lineHeight
		c.text(class, indent, c.height, line)
		indent = margin + 16
	}
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

// dots draws nodes, and returns where the box ends.
func (c *canvas) dots(nodes []Node, x, y, width int) int {
	switch {
	case len(nodes) == 0:
		return y
	case len(nodes) > maxDots:
		return c.kinds(nodes, x, y)
	}
	columns := max(width/pitch, 1)
	for i, n := range nodes {
		if i%columns == 0 {
			y += pitch
		}
		label := n.Name + " " + c.words(n, false)
		if n.Reason != "" {
			label += ". " + n.Reason
		}
		if n.Server != "" {
			label += ". " + n.Server
		}
		c.dot(x+radius+i%columns*pitch, y-radius, n, label)
	}
	return c.names(nodes, x, y, width)
}

// kinds draws one dot for all nodes that look the same, with their number, and returns where the box ends.
func (c *canvas) kinds(nodes []Node, x, y int) int {
	type kind struct {
		fate          Fate
		template, old int
		struck        bool
	}
	var kinds []kind
	counts := map[kind]int{}
	for _, n := range nodes {
		k := kind{n.Fate, n.Template, n.Old, n.Server != ""}
		if n.Fate != Changes && n.Fate != Remade {
			k.old = 0
		}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	for _, k := range kinds {
		y += pitch
		n := Node{Fate: k.fate, Template: k.template, Old: k.old}
		label := fmt.Sprintf("%d %s", counts[k], c.words(n, counts[k] > 1))
		if k.struck {
			n.Server = struckLabel
			label += "; " + struckLabel
		}
		c.dot(x+radius, y-radius, n, label)
		c.text("", x+2*radius+8, y-4, label)
	}
	return y + 6
}

// names writes the names of single nodes below their dots, and returns where they end. The part that all names begin
// with is written once.
func (c *canvas) names(nodes []Node, x, y, width int) int {
	var lines []string
	const letter = 6 // width, in pixels
	for i, n := range nodes {
		name, last := n.Name, len(lines)-1
		if i > 0 {
			name = name[shared(nodes):]
		}
		if i == 0 || (len(lines[last])+len(name)+3)*letter > width {
			lines = append(lines, name)
			continue
		}
		lines[last] += ", " + name
	}
	for _, line := range lines {
		y += lineHeight
		c.text("small", x, y, shorten(line, width/letter))
	}
	return y + 6
}

// shared returns the length of the part before their numbers that all names begin with.
func shared(nodes []Node) int {
	prefix := strings.TrimRight(nodes[0].Name, "0123456789")
	for _, n := range nodes {
		if !strings.HasPrefix(n.Name, prefix) {
			return 0
		}
	}
	return len(prefix)
}

// words says what happens to a node, or to several.
func (c *canvas) words(n Node, several bool) string {
	words := [...]string{"stays", "changes in place", "is made again", "is added", "returns with its server",
		"is removed"}[n.Fate]
	if several {
		words = [...]string{"stay", "change in place", "are made again", "are added", "return with their servers",
			"are removed"}[n.Fate]
	}
	return words + n.template(len(c.colour) > 1)
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
