package planview

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Lengths of pictures, in pixels.
const (
	wide        = 960
	margin      = 20
	gap         = 12
	pitch       = 22 // from dot to dot
	radius      = 8
	zoneColumns = 3 // zones side by side
	regionWidth = wide - 2*margin
	zoneWidth   = (regionWidth - gap*(zoneColumns+1)) / zoneColumns
	lineHeight  = 17
	lineLength  = 130 // characters
)

// maxDots is the largest number of nodes in a place with a dot for each. A place with more nodes has one dot and a
// number for each kind of nodes.
const maxDots = 66

// templateColours is the number of colours of templates in the style sheet, which has one more for the legend.
const templateColours = 6

//go:embed picture.css
var css string

// SVG draws a plan as one picture, which stands alone: the nodes in their places, and below the title of each cluster
// what must be seen.
func SVG(plan Plan) string {
	c := &canvas{}
	c.head(plan.whole(12))
	for i := range plan.Attachments {
		c.attachment(&plan.Attachments[i])
	}
	c.height += margin
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %[1]d %[2]d\" width=\"%[1]d\" "+
		"height=\"%[2]d\">\n<style>\n%[3]s</style>\n"+
		"<rect class=\"paper\" width=\"%[1]d\" height=\"%[2]d\"/>\n%[4]s</svg>\n",
		wide, c.height, css, c.body.String())
}

// head draws what a report says first, and what must be seen.
func (c *canvas) head(r report) {
	c.height += 34
	c.text("title", margin, c.height, shorten(r.title, 100))
	for _, line := range r.leads {
		c.lines("", line)
	}
	for _, s := range r.alarms {
		c.height += 12
		c.lines("alarm", s.title)
		for _, i := range s.items {
			c.lines("small", i.String())
		}
	}
}

// attachment draws an attachment at the end of the picture.
func (c *canvas) attachment(a *Attachment) {
	c.colour = []int{0}
	if len(a.Templates) > 0 {
		c.colour[0] = templateColours
	}
	for i := range a.Templates {
		c.colour = append(c.colour, i%templateColours)
	}
	c.head(a.report(12))
	c.legend(a)
	for places := a.Places; len(places) > 0; {
		n := slices.IndexFunc(places, func(p Place) bool { return p.Region != places[0].Region })
		if n < 0 {
			n = len(places)
		}
		c.region(places[:n])
		places = places[n:]
	}
}

// legend explains the picture: the forms have no template's colour, and templates are squares. So a coloured disc is
// always a node.
func (c *canvas) legend(a *Attachment) {
	c.height += 26
	x, y := margin, c.height
	// entry makes room for a mark, draws it around its middle, and writes its label.
	entry := func(width int, label string, draw func(x, y int)) {
		size := width + 24 + 7*len(label)
		if x > margin && x+size > wide-margin {
			x, y = margin, y+pitch
		}
		draw(x+width/2, y-4)
		c.text("", x+width+5, y, label)
		x += size
	}
	there, struck := map[Fate]bool{}, false
	for _, p := range a.Places {
		for _, n := range p.Nodes {
			there[n.Fate], struck = there[n.Fate] || n.Server == "", struck || n.Server != ""
		}
	}
	for fate, label := range fates {
		if there[Fate(fate)] {
			entry(2*radius, label, func(x, y int) { c.dot(x, y, Node{Fate: Fate(fate)}, "") })
		}
	}
	if struck {
		entry(2*radius, struckLabel, func(x, y int) { c.dot(x, y, Node{Server: struckLabel}, "") })
	}
	for i := range a.Templates {
		entry(12, fmt.Sprintf("template %d", i+1), func(x, y int) {
			c.rect(fmt.Sprintf("f%d", c.colour[i+1]), x-6, y-6, 12, 12)
		})
	}
	c.height = y + 10
}

// region draws a region and, in it, its zones.
func (c *canvas) region(places []Place) {
	var all []Node
	for _, p := range places {
		all = append(all, p.Nodes...)
	}
	c.height += gap
	top := c.height
	// The box is drawn first, and its height is known last.
	inner := canvas{colour: c.colour}
	y := inner.size(places[0].Region, all, margin, top, regionWidth)
	if len(places) == 1 && places[0].Zone == "" {
		y = inner.dots(all, margin+gap, y, regionWidth-2*gap)
		places = nil
	}
	for row := range slices.Chunk(places, zoneColumns) {
		bottom := 0
		bodies := make([]canvas, len(row))
		for j, p := range row {
			x := margin + gap + j*(zoneWidth+gap)
			bodies[j].colour = c.colour
			end := bodies[j].size(cmp.Or(p.Zone, "(no zone)"), p.Nodes, x, y, zoneWidth)
			bottom = max(bottom, bodies[j].dots(p.Nodes, x+gap, end, zoneWidth-2*gap))
		}
		for j := range row {
			inner.rect("zone", margin+gap+j*(zoneWidth+gap), y, zoneWidth, bottom-y)
			inner.body.WriteString(bodies[j].body.String())
		}
		y = bottom + gap
	}
	c.rect("region", margin, top, regionWidth, y-top)
	c.body.WriteString(inner.body.String())
	c.height = y
}

// size draws the name of a place, and its number of nodes before and after. It returns where the dots begin.
func (c *canvas) size(name string, nodes []Node, x, y, width int) int {
	var before, after int64
	for _, n := range nodes {
		if n.Fate != Comes && n.Fate != Returns {
			before++
		}
		if n.Fate != Leaves {
			after++
		}
	}
	size := text.Nodes(after)
	if before != after {
		size = fmt.Sprintf("%d → %s", before, size)
	}
	c.text("name", x+gap, y+22, shorten(name, (width-2*gap)/8-len(size)))
	c.text("end", x+width-gap, y+22, size)
	return y + 26
}
