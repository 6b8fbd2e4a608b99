package planview

import (
	"fmt"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// noTemplate is the number of no template, for the forms in the legend.
const noTemplate = -1

// Lengths of pictures, in pixels.
const (
	wideWidth   = 960
	narrowWidth = 400 // for a telephone: the zones of a region are below each other
	margin      = 20
	gap         = 12
	pitch       = 22 // from dot to dot
	radius      = 8
	zoneColumns = 3
	lineHeight  = 17
	lineLength  = 130 // characters
)

// A place with more nodes than this is drawn with one dot for each kind of nodes
// and their number; so are those of a kind that change, if they are more.
const (
	maxDots    = 66
	maxChanged = 44
)

// SVG draws a plan as one picture, which stands alone.
func SVG(plan Plan) string {
	c := &canvas{width: wideWidth}
	var titles, texts []string
	if s := plan.others(12); len(s.items) > 0 {
		c.height += 34
		c.text("title", margin, c.height, "Other servers")
		c.section(s)
		texts = append(texts, s.String())
	}
	for i := range plan.Attachments {
		a := &plan.Attachments[i]
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
	if s.more > 0 {
		c.lines("small", fmt.Sprintf("and %d more", s.more))
	}
}

// legend explains what is there. Where nodes have templates, its forms have the
// colour of none, and templates are squares: a disc of a colour is always a node.
func (c *canvas) legend(a *Attachment) {
	c.height += 26
	x, y := margin, c.height
	// entry makes room for a mark, draws it around its middle, and writes its label.
	entry := func(width int, label string, draw func(x, y int)) {
		size := width + 24 + 7*len(label)
		if x > margin && x+size > c.width-margin {
			x, y = margin, y+pitch
		}
		draw(x+width/2, y-4)
		c.text("", x+width+5, y, label)
		x += size
	}
	neutral := noTemplate
	if len(a.Templates) == 0 {
		neutral = 0 // nodes have one colour
	}
	type form struct {
		fate   Fate
		struck bool
	}
	there, caps, mins, listed := map[form]bool{}, false, false, false
	for _, r := range a.Regions {
		for _, p := range append([]Bin{r.Bin}, r.Zones...) {
			caps, mins, listed = caps || p.Cap >= 0, mins || p.Min > 0, listed || p.Weight > 0
			for _, n := range p.Nodes {
				there[form{n.Fate, n.Server != ""}] = true
			}
		}
	}
	for fate, label := range []string{
		"node that stays",
		"changes in place (ring: old template)",
		"is made again",
		"is added",
		"is removed",
	} {
		if there[form{Fate(fate), false}] {
			entry(
				2*radius,
				label,
				func(x, y int) { c.dot(x, y, Node{Fate: Fate(fate), Template: neutral, Old: neutral}, "") },
			)
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

// The marks on a bar: a line, and brackets that open to what is allowed.
const (
	idealMark = "v12"
	minMark   = "m5 0h-5v12h5"
	capMark   = "m-5 0h5v12h-5"
)

// mark draws one over the bar whose upper edge is at y.
func (c *canvas) mark(form string, x, y int, what string) {
	title := ""
	if what != "" {
		title = "<title>" + escape(what) + "</title>"
	}
	fmt.Fprintf(&c.body, "<path class=\"tick\" d=\"M%d %d%s\">%s</path>\n", x, y-3, form, title)
}

// region draws a region and, in it, its zones.
func (c *canvas) region(r Region) {
	c.height += gap
	top, width := c.height, c.width-2*margin
	// The box is drawn first, and its height is known last.
	var inner canvas
	inner.colour = c.colour
	y := inner.place(r.Bin, margin, top, width)
	columns := zoneColumns
	if c.width == narrowWidth {
		columns = 1
	}
	columnWidth := (width - gap*(columns+1)) / columns
	for i := 0; i < len(r.Zones); i += columns {
		row := r.Zones[i:min(i+columns, len(r.Zones))]
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
func (c *canvas) place(p Bin, x, y, width int) int {
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
		c.text(
			"small",
			left,
			y,
			fmt.Sprintf("ideal %s, weight %d, min %d, cap %s", p.Ideal, p.Weight, p.Min, p.limit()),
		)
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
func (c *canvas) gauge(p Bin, x, y, width int) {
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
	c.mark(idealMark, at(ideal), y, "ideal "+p.Ideal)
	if p.Min > 0 {
		c.mark(minMark, at(float64(p.Min)), y, fmt.Sprintf("min %d", p.Min))
	}
	if p.Cap >= 0 {
		c.mark(capMark, at(float64(p.Cap)), y, fmt.Sprintf("cap %d", p.Cap))
	}
}
