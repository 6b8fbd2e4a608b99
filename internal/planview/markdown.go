package planview

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// A comment on GitHub has at most 65,536 characters.
const maxMarkdown = 60_000

// Markdown describes a plan for a pull request, in at most about 60,000 bytes. It shortens lists if necessary.
func Markdown(plan Plan) string {
	var all string
	for _, limit := range []int{100, 20, 5, 0} {
		var b strings.Builder
		plan.whole(limit).markdown(&b)
		for i := range plan.Attachments {
			plan.Attachments[i].report(limit).markdown(&b)
		}
		if all = b.String()[1:]; len(all) <= maxMarkdown {
			return all
		}
	}
	end := strings.LastIndexByte(all[:maxMarkdown], '\n')
	return all[:end+1] + "\nThe rest is left out, because a comment has room for no more.\n"
}

// Terminal describes a plan for a terminal: it is the text of Markdown without its marks. Names have no marks of their
// own, because Markdown writes each character with a meaning as a character reference.
func Terminal(plan Plan) string {
	return html.UnescapeString(strings.ReplaceAll(markup.ReplaceAllString(Markdown(plan), ""), "&nbsp;", " "))
}

var markup = regexp.MustCompile("(?m)^### |^</?pre>\n|\\*\\*|`|</?[a-z]+>")

// markdown writes a report.
func (r report) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n", plain(r.title), plain(r.lead))
	for _, s := range r.sections {
		s.markdown(b)
	}
	if r.summary != "" {
		b.WriteString("\n<pre>\n")
		for line := range strings.Lines(r.summary) {
			b.WriteString(plain(strings.TrimSuffix(line, "\n")) + "\n")
		}
		b.WriteString("</pre>\n")
	}
	if r.address != "" {
		fmt.Fprintf(b, "\n<sub>%s</sub>\n", name(r.address))
	}
}

// markdown writes a section of a comment.
func (s section) markdown(b *strings.Builder) {
	long := len(s.items) > 10
	if long {
		fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", plain(s.title))
	} else {
		fmt.Fprintf(b, "\n**%s**\n\n", plain(s.title))
	}
	for _, i := range s.items {
		switch {
		case i.name == "":
			fmt.Fprintf(b, "- %s\n", plain(i.text))
		case s.title == "Warnings":
			fmt.Fprintf(b, "- **%s.** %s\n", plain(i.name), plain(i.text))
		default:
			fmt.Fprintf(b, "- %s: %s\n", name(i.name), plain(i.text))
		}
	}
	if long {
		b.WriteString("\n</details>\n")
	}
}

var (
	simpleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/ "\[\]-]*$`)
	simpleText = regexp.MustCompile(
		`^[A-Za-z0-9 .,;()%'"+=-]*` +
			`(?:[:/][A-Za-z0-9 .,;()%'"+=-]+|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+[A-Za-z0-9 .,;()%'"+=-]*)*$`,
	)
)

// name shows a name as code.
func name(s string) string {
	if simpleName.MatchString(s) && !strings.HasSuffix(s, " ") {
		return "`" + s + "`"
	}
	return code(s)
}

// Plain returns any text as one line of Markdown.
func Plain(s string) string { return plain(text.Clean(s)) }

// plain shows a text that may have names in it. It shows the text as code if the text has characters with a meaning
// in Markdown, or for the site that shows it (a mention, a link).
func plain(s string) string {
	if simpleText.MatchString(s) && !strings.Contains(s, "www.") {
		return s
	}
	return code(s)
}

// code shows any text as it is: it writes each character that could have a meaning in Markdown or HTML as a character
// reference.
func code(s string) string {
	return "<code>" + special.ReplaceAllStringFunc(text.Clean(s), func(character string) string {
		return fmt.Sprintf("&#%d;", character[0])
	}) + "</code>"
}

// special matches the characters of ASCII other than letters, digits, blanks, commas and hyphens.
var special = regexp.MustCompile(`[\x00-\x1f!-+./:-@\[-\x60{-\x7f]`)
