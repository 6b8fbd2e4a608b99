package planview

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Lengths of pictures, in pixels.
const (
	pictureWidth = 960
	margin       = 20
	gap          = 12
	pitch        = 22 // from dot to dot
	radius       = 8
	zoneColumns  = 3
	lineHeight   = 17
	lineLength   = 130 // characters
)

// A place with more nodes than this is drawn with one dot for each kind of nodes
// and their number; so are those of a kind that change, if they are more.
const (
	maxDots    = 66
	maxChanged = 44
)

// SVG draws attachments as one picture, which stands alone.
func SVG(list []Attachment) string {
	c := &canvas{}
	var titles, texts []string
	for i := range list {
		a := &list[i]
		r := a.report(20)
		c.attachment(a, true)
		titles = append(titles, "Placement of "+a.Cluster)
		texts = append(texts, r.String())
	}
	return c.picture("pv", strings.Join(titles, ", "), strings.Join(texts, "\n"), true)
}

// attachment draws an attachment below what is there. With words it has a title
// and, at its end, the lists of the report.
func (c *canvas) attachment(a *Attachment, words bool) {
	c.colour = map[int]int{}
	for i, r := range a.Templates {
		c.colour[r.Number] = i % templateColours
	}
	r := a.report(12)
	if words {
		c.height += 34
		c.text("title", margin, c.height, shorten("Placement of "+a.Cluster, 100))
		c.lines("", r.lead)
	}
	c.legend(a)
	for _, region := range a.Regions {
		c.region(region)
	}
	if !words {
		return
	}
	for _, s := range r.sections {
		c.height += 12
		c.lines("name", s.title)
		for _, i := range s.items {
			c.lines("small", i.String())
		}
		if s.more > 0 {
			c.lines("small", fmt.Sprintf("and %d more", s.more))
		}
	}
	c.height += margin
}

// legend explains the dots that are there.
func (c *canvas) legend(a *Attachment) {
	c.height += 26
	x, y := margin+radius, c.height
	entry := func(n Node, label string) {
		if x > pictureWidth-160 {
			x, y = margin+radius, y+pitch
		}
		c.dot(x, y-4, n, "")
		c.text("", x+radius+5, y, label)
		x += radius*2 + 24 + 7*len(label)
	}
	first := 1
	if len(a.Templates) > 0 {
		first = a.Templates[0].Number
	}
	there := map[Fate]bool{}
	for n := range a.nodes {
		there[n.Fate] = true
	}
	for fate, label := range []string{"stays", "changes in place (ring: old template)", "is added", "is removed"} {
		if there[Fate(fate)] {
			n := Node{Fate: Fate(fate), Template: first, Old: first}
			if n.Fate == Changes && len(a.Templates) > 1 {
				n.Template = a.Templates[1].Number
			}
			entry(n, label)
		}
	}
	if len(a.Templates) > 0 {
		for _, r := range a.Templates {
			entry(Node{Template: r.Number}, fmt.Sprintf("template %d", r.Number))
		}
	}
	c.height = y + 10
}

// region draws a region and, in it, its zones.
func (c *canvas) region(r Region) {
	c.height += gap
	top, width := c.height, pictureWidth-2*margin
	// The box is drawn first, and its height is known last.
	var inner canvas
	inner.colour = c.colour
	y := inner.place(r.Place, margin, top, width)
	columnWidth := (width - gap*(zoneColumns+1)) / zoneColumns
	for i := 0; i < len(r.Zones); i += zoneColumns {
		row := r.Zones[i:min(i+zoneColumns, len(r.Zones))]
		bottom := 0
		bodies := make([]canvas, len(row))
		for j, zone := range row {
			bodies[j].colour = c.colour
			bottom = max(bottom, bodies[j].place(zone, margin+gap+j*(columnWidth+gap), y, columnWidth))
		}
		for j := range row {
			inner.rect("zone", margin+gap+j*(columnWidth+gap), y, columnWidth, bottom-y)
			inner.body.WriteString(bodies[j].body.String())
		}
		y = bottom + gap
	}
	c.rect("region", margin, top, width, y-top)
	c.body.WriteString(inner.body.String())
	c.height = y
}

// place draws what is in the box of a place, and returns where the box ends.
func (c *canvas) place(p Place, x, y, width int) int {
	left, inner := x+gap, width-2*gap
	name := p.Name
	if name == "" {
		name = "(no zone)"
	}
	size := text.Nodes(p.After)
	if p.Before != p.After {
		size = fmt.Sprintf("%d → %s", p.Before, text.Nodes(p.After))
	}
	c.text("name", left, y+22, shorten(name, inner/8-len(size)))
	c.text("end", x+width-gap, y+22, size)
	y += 38
	if p.Weight > 0 {
		c.text("small", left, y, fmt.Sprintf("ideal %s, weight %d, min %d, cap %s", p.Ideal, p.Weight, p.Min, p.limit()))
		y += 9
		c.gauge(p, left, y, inner)
		y += 19
	}
	if p.Note != "" {
		c.text("note", left, y, p.Note)
		y += 15
	}
	return c.dots(p.Nodes, left, y, inner)
}

// gauge draws the nodes after the plan against ideal, min and cap.
func (c *canvas) gauge(p Place, x, y, width int) {
	var ideal float64
	if _, err := fmt.Sscan(p.Ideal, &ideal); err != nil {
		return
	}
	full := max(float64(p.After), ideal, float64(p.Min), float64(p.Cap), 1) * 1.05
	at := func(n float64) int { return x + int(float64(width)*n/full) }
	c.rect("track", x, y, width, 6)
	if p.After > 0 {
		c.rect("level", x, y, at(float64(p.After))-x, 6)
	}
	tick := func(n float64, what string) {
		fmt.Fprintf(&c.body, "<path class=\"tick\" d=\"M%d %dv10\"><title>%s</title></path>\n", at(n), y-2, escape(what))
	}
	tick(ideal, "ideal "+p.Ideal)
	if p.Min > 0 {
		tick(float64(p.Min), fmt.Sprintf("min %d", p.Min))
	}
	if p.Cap >= 0 {
		tick(float64(p.Cap), fmt.Sprintf("cap %d", p.Cap))
	}
}
