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

// Template is what a node is made from: an image, a flavor and so on, under names that the
// user chooses. It is kept as canonical JSON (an object of strings with sorted keys), so that
// templates can be compared and counted. "" means no template.
type Template string

// NewTemplate returns the template of the values, or "" without values.
func NewTemplate(values map[string]string) Template {
	if len(values) == 0 {
		return ""
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text) // which sorts the keys
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(values) // every map of strings can be encoded
	return Template(strings.TrimSuffix(text.String(), "\n"))
}

// Values returns the values of the template.
func (t Template) Values() map[string]string {
	values := map[string]string{}
	if t != "" {
		_ = json.Unmarshal([]byte(t), &values) // it was made by NewTemplate
	}
	return values
}

// over returns the template with those values of a base that it lacks.
func (t Template) over(base Template) Template {
	if t == "" || base == "" || t == base {
		return cmp.Or(t, base)
	}
	values := base.Values()
	maps.Copy(values, t.Values())
	return NewTemplate(values)
}

// Keys of a template with a meaning. The provider fills in the first three.
const (
	KeyImage      = "image"       // image as written
	KeyImageID    = "image_id"    // id of that image in the region
	KeyUserData   = "user_data"   // hash of the user data
	KeyBootVolume = "boot_volume" // volume from which a server boots
	KeyVolumes    = "volumes"     // names of the volumes of a slot, as JSON
)

// Volumes returns the names of the volumes of a slot.
func (t Template) Volumes() Names { return NamesOf(Names(t.Values()[KeyVolumes]).List()) }

// WithImage returns the template with another image, if it has one.
func (t Template) WithImage(id string) Template {
	if id == "" {
		return t
	}
	values := t.Values()
	if values[KeyImageID] == "" || values[KeyImageID] == id {
		return t
	}
	values[KeyImageID] = id
	return NewTemplate(values)
}

// Hash returns the first 8 hex digits of the SHA-256 of the template.
func (t Template) Hash() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(t)))[:8] }

// Mark is the metadata that a server gets in Nova once it was found in service: "3-1f2e3d4c", a number and the hash
// of the node's template, or "3" without a template. The number counts every change of the node's template and every
// time that its server was made again. It never falls, so that no mark is valid twice.
type Mark string

// MarkOf returns the mark of a number and a template.
func MarkOf(number int64, t Template) Mark {
	if t == "" {
		return Mark(strconv.FormatInt(number, 10))
	}
	return Mark(strconv.FormatInt(number, 10) + "-" + t.Hash())
}

// Next returns the mark of the node after it got a template, or a new server.
func (m Mark) Next(t Template) Mark { return MarkOf(m.Number()+1, t) }

// With returns the mark with the hash of a template and the same number.
func (m Mark) With(t Template) Mark { return MarkOf(max(m.Number(), 1), t) }

// Number returns the number of the mark, or 0 for a text that is no mark.
func (m Mark) Number() int64 {
	number, _, _ := strings.Cut(string(m), "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// Matches reports whether the mark belongs to a template. A mark without a hash belongs to any.
func (m Mark) Matches(t Template) bool {
	_, hash, hashed := strings.Cut(string(m), "-")
	return !hashed || hash == t.Hash()
}

// Templates has the templates of new nodes: a zone uses its own template, else the template of
// its region, else the template for all places. [NewTemplates] makes them.
type Templates map[placement.Place]Template

// NewTemplates merges the templates of places: a zone's template overrides values of its region's, which overrides
// values of the template for all places. It is called once, and not for each node, because a template may be large.
// It leaves out a place that would get the same template without its own entry, so equal templates are equal maps.
func NewTemplates(own map[placement.Place]Template) Templates {
	t := Templates{}
	for at, template := range own {
		template = template.over(own[placement.Place{Region: at.Region}]).over(own[placement.Place{}])
		if template != "" {
			t[at] = template
		}
	}
	maps.DeleteFunc(t, func(at placement.Place, template Template) bool {
		around := placement.Place{}
		if at.Zone != "" {
			around.Region = at.Region
		}
		return at != around && t.At(around) == template
	})
	return t
}

// MarshalJSON writes the templates by region and zone.
func (t Templates) MarshalJSON() ([]byte, error) { return json.Marshal(placement.By[Template](t)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Templates) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, (*placement.By[Template])(t))
}

// At returns the template of new nodes of a place.
func (t Templates) At(at placement.Place) Template {
	return cmp.Or(t[at], t[placement.Place{Region: at.Region}], t[placement.Place{}])
}
