package roster

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// Template is what a node is made from: an image, a flavor and so on, by names of
// the user's. It is kept as canonical JSON (an object of strings, its keys
// sorted), so that templates can be compared and counted. "" is none.
type Template string

// NewTemplate is the template of the values; without any there is none.
func NewTemplate(values map[string]string) Template {
	if len(values) == 0 {
		return ""
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text) // which sorts the keys
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(values); err != nil {
		return "" // never: every map of strings can be encoded
	}
	return Template(strings.TrimSuffix(text.String(), "\n"))
}

// Values are the values of the template.
func (t Template) Values() map[string]string {
	values := map[string]string{}
	if t != "" {
		_ = json.Unmarshal([]byte(t), &values) // it was made by NewTemplate
	}
	return values
}

// over is the template with the values of another one where it has none itself.
func (t Template) over(base Template) Template {
	if t == "" || base == "" {
		return cmp.Or(t, base)
	}
	values := base.Values()
	maps.Copy(values, t.Values())
	return NewTemplate(values)
}

// Hash is the first 8 hex digits of the SHA-256 of the template.
func (t Template) Hash() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(t)))[:8] }

// Mark is what a server of a node carries in Nova once it was found in service:
// "3-1f2e3d4c", the number of the server and the hash of the node's template, or
// "3" where there is none. The number counts every change of the node's template
// and every time that its server was made again. It never falls, so that no mark
// is valid twice.
type Mark string

// FirstMark is the first mark of a node of a template.
func FirstMark(t Template) Mark { return MarkOf(1, t) }

// MarkOf is the mark of a number and a template.
func MarkOf(number int64, t Template) Mark {
	if t == "" {
		return Mark(strconv.FormatInt(number, 10))
	}
	return Mark(strconv.FormatInt(number, 10) + "-" + t.Hash())
}

// Next is the mark of the node after it got a template, or a new server.
func (m Mark) Next(t Template) Mark { return MarkOf(m.Number()+1, t) }

// With is the mark with the hash of a template, and the number as it is.
func (m Mark) With(t Template) Mark { return MarkOf(max(m.Number(), 1), t) }

// Number is the number of the mark; of what is no mark it is 0.
func (m Mark) Number() int64 {
	number, _, _ := strings.Cut(string(m), "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// Of reports whether the mark is of a template; one without a hash is of any.
func (m Mark) Of(t Template) bool {
	_, hash, hashed := strings.Cut(string(m), "-")
	return !hashed || hash == t.Hash()
}

// Templates say what new nodes are made from: the nodes of a zone from its template,
// without one from that of its region, without one from that of all. They are made
// by [NewTemplates].
type Templates map[placement.Place]Template

// NewTemplates merges the templates that places have themselves: that of a zone over
// that of its region over that of all. Once, and not for each node: a template may
// be large.
func NewTemplates(own map[placement.Place]Template) Templates {
	t := Templates{}
	for at, template := range own {
		region := placement.Place{Region: at.Region}
		if at != region {
			template = template.over(own[region])
		}
		if at != (placement.Place{}) {
			template = template.over(own[placement.Place{}])
		}
		if template != "" {
			t[at] = template
		}
	}
	return t
}

// MarshalJSON writes the templates by region and zone.
func (t Templates) MarshalJSON() ([]byte, error) { return json.Marshal(placement.By[Template](t)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Templates) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, (*placement.By[Template])(t))
}

// At is the template of new nodes of a place.
func (t Templates) At(at placement.Place) Template {
	return cmp.Or(t[at], t[placement.Place{Region: at.Region}], t[placement.Place{}])
}

// Or are the templates, and others for the places that have none.
func (t Templates) Or(others Templates) Templates {
	all := maps.Clone(t)
	for at, template := range others {
		if t.At(at) == "" {
			all[at] = template
		}
	}
	return all
}
