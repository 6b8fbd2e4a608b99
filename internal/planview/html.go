package planview

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// HTML returns a page about a plan. The page requests nothing, and its Content-Security-Policy allows only its own
// style sheet.
func HTML(plan Plan) string {
	style := css + pageCSS
	hash := sha256.Sum256([]byte(style))
	var names []string
	for _, a := range plan.Attachments {
		names = append(names, a.Cluster)
	}
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Placement of %s</title>
<style>%s</style>
</head>
<body>
<main class="pv">
<h1>What the plan does</h1>
%s</main>
</body>
</html>
`, base64.StdEncoding.EncodeToString(hash[:]),
		escape(shorten(strings.Join(names, ", "), 200)),
		style,
		articles(plan))
}

// articles returns the content of a page about a plan.
func articles(plan Plan) string {
	var b strings.Builder
	r := plan.whole(100)
	b.WriteString("<article aria-labelledby=\"pv-whole\">\n<h2 id=\"pv-whole\">The whole plan</h2>\n")
	for _, line := range append(plan.moves(), r.lead) {
		fmt.Fprintf(&b, "<p>%s</p>\n", escape(line))
	}
	for _, s := range r.sections {
		s.html(&b)
	}
	b.WriteString("</article>\n")
	for i := range plan.Attachments {
		article(&b, &plan.Attachments[i], fmt.Sprintf("pv%d", i))
	}
	return b.String()
}

func article(b *strings.Builder, a *Attachment, id string) {
	r := a.report(100)
	fmt.Fprintf(b, "<article aria-labelledby=\"%s-head\">\n<h2 id=\"%s-head\">Placement of %s</h2>\n<p>%s</p>\n<p "+
		"class=\"address\">%s</p>\n", id, id, escape(r.title), escape(r.lead), escape(r.address))
	for _, s := range r.first {
		s.html(b)
	}
	c := &canvas{}
	c.attachment(a, false)
	c.height += margin
	fmt.Fprintf(b, "<figure class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Picture\">\n%s</figure>\n",
		c.picture(id, "Placement of "+r.title, r.lead+" The table and the lists below say the same.", false))
	b.WriteString("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">\n<table>\n<thead><tr>")
	for _, head := range columns {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", head)
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range r.rows {
		class := ""
		if row.inside {
			class = ` class="zone"`
		}
		fmt.Fprintf(b, "<tr%s><th scope=\"row\">%s</th>", class, escape(row.name))
		for _, cell := range row.cells {
			fmt.Fprintf(b, "<td>%s</td>", escape(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n</div>\n")
	for _, s := range r.sections {
		s.html(b)
	}
	b.WriteString("</article>\n")
}

// html writes a section of a page.
func (s section) html(b *strings.Builder) {
	class := ""
	if s.warns {
		class = ` class="warnings"`
	}
	fmt.Fprintf(b, "<section%s>\n<h3>%s</h3>\n<ul>\n", class, escape(s.title))
	for _, i := range s.items {
		name := ""
		if i.name != "" {
			name = "<strong>" + escape(i.name) + ":</strong> "
		}
		fmt.Fprintf(b, "<li>%s%s</li>\n", name, escape(i.text))
	}
	b.WriteString("</ul>\n</section>\n")
}

// colour is a colour of the light theme and its counterpart in the dark theme.
type colour struct{ name, light, dark string }

var colours = []colour{
	{"ink", "#1f2328", "#e6edf3"},
	{"pale", "#59636e", "#9198a1"},
	{"paper", "#ffffff", "#0d1117"},
	{"box", "#f6f8fa", "#151b23"},
	{"edge", "#d1d9e0", "#3d444d"},
	{"warn", "#9a6700", "#d29922"},
	{"mark", "#ffffff", "#0d1117"},
	// The templates, in turn. Neighbours also differ for readers who cannot distinguish red from green.
	{"r0", "#0969da", "#58a6ff"},
	{"r1", "#bc4c00", "#f0883e"},
	{"r2", "#1a7f37", "#3fb950"},
	{"r3", "#8250df", "#bc8cff"},
	{"r4", "#bf3989", "#f778ba"},
	{"r5", "#866b00", "#e3b341"},
	// Forms in the legend, which have no template.
	{"r6", "#59636e", "#9198a1"},
}

// templateColours is the number of colours of templates.
const templateColours = 6

// css is the style sheet of pictures and pages.
var css = sheet()

func sheet() string {
	var light, dark strings.Builder
	value := map[string]string{}
	for _, c := range colours {
		value[c.name] = c.light
		fmt.Fprintf(&light, " --pv-%s: %s;", c.name, c.light)
		fmt.Fprintf(&dark, " --pv-%s: %s;", c.name, c.dark)
	}
	var templates strings.Builder
	for i := range templateColours + 1 {
		fmt.Fprintf(&templates, ".pv .f%d { fill: var(--pv-r%d) }\n.pv .s%d { stroke: var(--pv-r%d) }\n", i, i, i, i)
	}
	return ".pv { color-scheme: light dark;" + light.String() + " }\n" +
		"@media screen and (prefers-color-scheme: dark) { .pv {" + dark.String() + " } }\n" +
		// Renderers without variables (librsvg) use the first of two values, and others the last.
		variable.ReplaceAllStringFunc(templates.String()+pictureCSS, func(rule string) string {
			m := variable.FindStringSubmatch(rule)
			return m[1] + ": " + value[m[2]] + "; " + rule
		})
}

// variable matches a declaration whose value is one of the colours.
var variable = regexp.MustCompile(`(fill|stroke): var\(--pv-(\w+)\)`)

// The rules of pictures, and the further ones of pages.
var (
	//go:embed picture.css
	pictureCSS string
	//go:embed page.css
	pageCSS string
)
