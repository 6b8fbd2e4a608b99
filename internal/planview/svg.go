package planview

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// noTemplate is the number for forms in the legend, which have no template.
const noTemplate = -1

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

// SVG draws a plan as one picture, which stands alone.
func SVG(plan Plan) string {
	c := &canvas{}
	var titles, texts []string
	whole := plan.whole(12)
	c.height += 34
	c.text("title", margin, c.height, "The whole plan")
	c.lines("", whole.lead)
	for _, s := range whole.sections {
		c.section(s)
	}
	texts = append(texts, whole.String())
	for i := range plan.Attachments {
		a := &plan.Attachments[i]
		r := a.report(20)
		c.attachment(a, true)
		titles = append(titles, "Placement of "+a.Cluster)
		texts = append(texts, r.String())
	}
	return c.picture("pv", strings.Join(titles, ", "), strings.Join(texts, "\n"), true)
}

// attachment draws an attachment at the end of the picture. With words it has a title and, at its end, the lists of
// the report.
func (c *canvas) attachment(a *Attachment, words bool) {
	c.colour = map[int]int{noTemplate: templateColours}
	for i, r := range a.Templates {
		c.colour[r.Number] = i % templateColours
	}
	r := a.report(12)
	if words {
		c.height += 34
		c.text("title", margin, c.height, shorten("Placement of "+a.Cluster, 100))
		c.lines("", r.lead)
		for _, s := range r.first {
			c.section(s)
		}
	}
	c.legend(a)
	c.scale = a.scale()
	for _, region := range a.Regions {
		c.region(region)
	}
	if !words {
		return
	}
	for _, s := range r.sections {
		c.section(s)
	}
	c.height += margin
}

// section draws the list of a report.
func (c *canvas) section(s section) {
	c.height += 12
	class := "name"
	if s.warns {
		class = "alarm"
	}
	c.lines(class, s.title)
	for _, i := range s.items {
		c.lines("small", i.String())
	}
}

// fateLabels explain the forms of nodes.
var fateLabels = [...]string{
	Stays:   "node that stays",
	Changes: "changes in place (ring: old template)",
	Remade:  "is made again",
	Comes:   "is added",
	Returns: "returns with its server",
	Leaves:  "is removed",
}

// legend explains the picture. If nodes have templates, the forms have no template's colour, and templates are
// squares: so a coloured disc is always a node.
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
	neutral := noTemplate
	if len(a.Templates) == 0 {
		neutral = 0 // all nodes have one colour
	}
	type form struct {
		fate   Fate
		struck bool
	}
	there, caps, mins, listed := map[form]bool{}, false, false, false
	for _, p := range a.bins() {
		caps, mins, listed = caps || p.listed() && p.Bin.Cap >= 0, mins || p.Bin.Min > 0, listed || p.listed()
		for _, n := range p.Nodes {
			there[form{n.Fate, n.Server != ""}] = true
		}
	}
	for fate, label := range fateLabels {
		if there[form{Fate(fate), false}] {
			entry(2*radius, label,
				func(x, y int) { c.dot(x, y, Node{Fate: Fate(fate), Template: neutral, Old: neutral}, "") })
		}
	}
	if there[form{Stays, true}] || there[form{Changes, true}] || there[form{Remade, true}] {
		entry(2*radius, struckLabel, func(x, y int) { c.dot(x, y, Node{Template: neutral, Server: struckLabel}, "") })
	}
	for _, t := range a.Templates {
		entry(12, fmt.Sprintf("template %d", t.Number), func(x, y int) {
			c.rect(fmt.Sprintf("f%d", c.colour[t.Number]), x-6, y-6, 12, 12)
		})
	}
	if listed {
		entry(24, "nodes after the plan", func(x, y int) {
			c.rect("track", x-12, y-3, 24, 6)
			c.rect("level", x-12, y-3, 16, 6)
		})
		entry(4, "ideal", func(x, y int) { c.mark(idealMark, x, y-3, "") })
	}
	if mins {
		entry(6, "min", func(x, y int) { c.mark(minMark, x-2, y-3, "") })
	}
	if caps {
		entry(6, "cap", func(x, y int) { c.mark(capMark, x+2, y-3, "") })
	}
	c.height = y + 10
}

// The marks on a bar: a line, and brackets that open towards the allowed numbers.
const (
	idealMark = "v12"
	minMark   = "m5 0h-5v12h5"
	capMark   = "m-5 0h5v12h-5"
)

// mark draws a mark over the bar whose upper edge is at y.
func (c *canvas) mark(form string, x, y int, what string) {
	title := ""
	if what != "" {
		title = "<title>" + escape(what) + "</title>"
	}
	fmt.Fprintf(&c.body, "<path class=\"tick\" d=\"M%d %d%s\">%s</path>\n", x, y-3, form, title)
}

// scale returns the length of a node in all bars of an attachment, in pixels, so that two bars can be compared.
func (a *Attachment) scale() float64 {
	scale := float64(regionWidth)
	fit := func(p Bin, width int) {
		full := max(float64(p.Before), float64(p.After), float64(p.Bin.Min), p.ideal()) + 1
		scale = min(scale, float64(width-2*gap)/full)
	}
	for _, r := range a.Regions {
		fit(r.Bin, regionWidth)
		for _, z := range r.Zones {
			fit(z, zoneWidth)
		}
	}
	return scale
}

// ideal returns the ideal share as a number.
func (p Bin) ideal() float64 {
	ideal, _ := p.Ideal.Float64() // 0 if the place is not listed
	return ideal
}

// region draws a region and, in it, its zones.
func (c *canvas) region(r Region) {
	c.height += gap
	top := c.height
	// The box is drawn first, and its height is known last.
	inner := canvas{colour: c.colour, scale: c.scale}
	y := inner.place(r.Bin, margin, top, regionWidth)
	for i := 0; i < len(r.Zones); i += zoneColumns {
		row := r.Zones[i:min(i+zoneColumns, len(r.Zones))]
		bottom := 0
		bodies := make([]canvas, len(row))
		for j, zone := range row {
			bodies[j].colour, bodies[j].scale = c.colour, c.scale
			bottom = max(bottom, bodies[j].place(zone, margin+gap+j*(zoneWidth+gap), y, zoneWidth))
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

// place draws the content of the box of a place, and returns where the box ends.
func (c *canvas) place(p Bin, x, y, width int) int {
	left, inner := x+gap, width-2*gap
	size := text.Nodes(p.After)
	if p.Before != p.After {
		size = fmt.Sprintf("%d → %s", p.Before, text.Nodes(p.After))
	}
	c.text("name", left, y+22, shorten(p.title(), inner/8-len(size)))
	c.text("end", x+width-gap, y+22, size)
	y += 38
	if p.listed() {
		c.text("small",
			left, y, fmt.Sprintf("ideal %s, weight %d, min %d, cap %s", p.share(), p.Bin.Weight, p.Bin.Min, p.limit()))
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

// gauge draws the number of nodes after the plan with ideal, min and cap. It does not draw a cap beyond the end of
// the bar, which is far away, and in the text.
func (c *canvas) gauge(p Bin, x, y, width int) {
	at := func(n float64) int { return x + int(c.scale*n) }
	c.rect("track", x, y, width, 6)
	if p.After > 0 {
		c.rect("level", x, y, at(float64(p.After))-x, 6)
	}
	c.mark(idealMark, at(p.ideal()), y, "ideal "+p.share())
	if p.Bin.Min > 0 {
		c.mark(minMark, at(float64(p.Bin.Min)), y, fmt.Sprintf("min %d", p.Bin.Min))
	}
	if p.Bin.Cap >= 0 && at(float64(p.Bin.Cap)) <= x+width {
		c.mark(capMark, at(float64(p.Bin.Cap)), y, fmt.Sprintf("cap %d", p.Bin.Cap))
	}
}
