package fakecloud

import (
	"fmt"
	"regexp"
	"slices"
)

// schema has the parts of Nova's validation of requests that clients get wrong, with microversions.
type schema struct {
	is    func(v any) bool // checks a value; nil allows all
	items *schema          // items of a list
	props []prop           // keys of an object
	open  bool             // reports whether the object may have others
}

// prop is a property, which the API may have in some microversions only.
type prop struct {
	name         string
	schema       *schema
	required     bool
	since, until int // minor versions; an until of 0 means for ever
}

func (p prop) in(minor int) bool { return minor >= p.since && (p.until == 0 || minor <= p.until) }

// check refuses what Nova refuses, but in words of its own, which only the author of a mistake reads.
func (s *schema) check(v any, minor int) error {
	if s.is != nil && !s.is(v) {
		return fmt.Errorf("%v is not allowed", v)
	}
	if list, ok := v.([]any); ok && s.items != nil {
		for i, e := range list {
			if err := s.items.check(e, minor); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	}
	if s.props == nil {
		return nil
	}
	given, ok := v.(object)
	if !ok {
		return fmt.Errorf("%v is no object", v)
	}
	known := map[string]bool{}
	for _, p := range s.props {
		if !p.in(minor) {
			continue
		}
		known[p.name] = true
		value, there := given.get(p.name)
		if p.required && !there {
			return fmt.Errorf("%s is missing", p.name)
		}
		if there {
			if err := p.schema.check(value, minor); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	for _, f := range given {
		if !known[f.key] && !s.open {
			return fmt.Errorf("%s is not known", f.key)
		}
	}
	return nil
}

// closed is an object without other properties.
func closed(props ...prop) *schema { return &schema{props: props} }

// wrapped is an object with one property, which has everything else.
func wrapped(name string, value *schema) *schema {
	return closed(prop{name: name, required: true, schema: value})
}

// matching is a text that matches a pattern as a whole.
func matching(pattern string) *schema {
	re := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return &schema{is: func(v any) bool {
		s, ok := v.(string)
		return ok && re.MatchString(s)
	}}
}

// plain is a text, a number, a flag or null that matches a pattern as a whole; null is <nil>.
func plain(pattern string) *schema {
	re := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return &schema{is: func(v any) bool { return re.MatchString(bare(v)) }}
}

// listOf is a list whose items have a schema.
func listOf(items *schema) *schema {
	return &schema{items: items, is: func(v any) bool { _, ok := v.([]any); return ok }}
}

// regular is a regular expression.
var regular = &schema{is: func(v any) bool {
	s, ok := v.(string)
	_, err := regexp.Compile(s)
	return ok && s != "" && err == nil
}}

const uuidPattern = `[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}`

// Parts of Nova's schemas that several requests share.
var (
	anything       = &schema{}
	anyString      = matching(`(?s).*`)
	nameSchema     = matching(`\S|\S.{0,253}\S`)
	uuidSchema     = matching(uuidPattern)
	natural        = plain(`[0-9]+`)
	positive       = plain(`[1-9][0-9]*`)
	boolean        = plain(`(?i:true|false|on|off|yes|no|1|0)`)
	tagSchema      = matching(`[^,/]{1,60}`)
	metadataSchema = &schema{is: isMetadata}
)

var metadataKeys = regexp.MustCompile(`^[a-zA-Z0-9-_:. ]{1,255}$`)

// isMetadata reports whether a value is an object of texts with at most 255 characters.
func isMetadata(v any) bool {
	given, ok := v.(object)
	return ok && !slices.ContainsFunc(given, func(f field) bool {
		s, isText := f.value.(string)
		return !metadataKeys.MatchString(f.key) || !isText || len([]rune(s)) > 255
	})
}

// networkList is the list of networks at creation, a word since 2.37.
var networkList = &schema{
	is: func(v any) bool { _, ok := v.([]any); return ok || v == "none" || v == "auto" },
	items: closed(
		prop{name: "fixed_ip", schema: anyString},
		prop{name: "port", schema: plain(`<nil>|` + uuidPattern)},
		prop{name: "uuid", schema: uuidSchema},
		prop{name: "tag", schema: tagSchema, since: 32},
	),
}

// createSchema is the body of POST /servers.
var createSchema = closed(
	prop{name: "server", required: true, schema: closed(
		prop{name: "name", schema: nameSchema, required: true},
		prop{name: "imageRef", schema: matching(`|` + uuidPattern)},
		prop{name: "flavorRef", schema: plain(`.+`), required: true},
		prop{name: "adminPass", schema: anyString},
		prop{name: "metadata", schema: metadataSchema},
		prop{name: "networks", schema: networkList, until: 36},
		prop{name: "networks", schema: networkList, since: 37, required: true},
		prop{name: "availability_zone", schema: nameSchema},
		prop{name: "block_device_mapping_v2", schema: listOf(anything)},
		prop{name: "config_drive", schema: boolean},
		prop{name: "key_name", schema: nameSchema},
		prop{name: "security_groups", schema: listOf(closed(prop{name: "name", schema: nameSchema}))},
		prop{name: "user_data", schema: anyString},
		prop{name: "description", schema: plain(`.{0,255}`), since: 19},
		prop{name: "tags", schema: listOf(tagSchema), since: 52},
	)},
	prop{name: "os:scheduler_hints", schema: &schema{open: true, props: []prop{{name: "group", schema: uuidSchema}}}},
)

// updateSchema is the body of PUT /servers/{}.
var updateSchema = wrapped("server", closed(prop{name: "name", schema: nameSchema}))
