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
	width  int
	height int
	colour map[int]int // colours of templates
	scale  float64     // length of bars, in pixels for each node
}

// picture returns an svg element with everything that was drawn. If it stands alone it contains its style sheet.
func (c *canvas) picture(id, title, description string, alone bool) string {
	style, namespace := "", ""
	if alone {
		style, namespace = "<style>\n"+CSS+"</style>\n", ` xmlns="http://www.w3.org/2000/svg"`
	}
	return fmt.Sprintf("<svg%s class=\"pv\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "+
		"aria-labelledby=\"%s-title\" aria-describedby=\"%s-desc\">\n"+
		"<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n%s<rect class=\"paper\" width=\"%d\" "+
		"height=\"%d\"/>\n%s</svg>\n", namespace, c.width, c.height, c.width, c.height, id, id, id, escape(title), id,
		escape(description), style, c.width, c.height, c.body.String())
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
