package planview

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
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
