package fakecloud

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// schema has the parts of JSON Schema that Nova's request validation uses, with microversions, which no library
// supports.
type schema struct {
	types            []string // JSON types; none means any
	enum             []any
	pattern          *regexp.Regexp // for strings only
	bounded          bool           // reports whether minimum and maximum apply; also for digits in a string
	minimum, maximum int
	minSize, maxSize int    // for strings, arrays and objects; a maxSize of 0 means none
	format           string // name, uuid or regex
	items            *schema
	props            []prop
	keys             *regexp.Regexp // for an object that is a map, with others as its values
	others           *schema
	closed           bool      // no other keys
	oneOf            []*schema // one of them must match
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
	given, isText := v.(string)
	n, noNumber := strconv.Atoi(bare(v))
	switch {
	case len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isType(v, t) }):
		return fmt.Errorf("%v is not in %v", v, s.types)
	case s.enum != nil && !slices.Contains(s.enum, v):
		return fmt.Errorf("%v is not in %v", v, s.enum)
	case s.oneOf != nil && !slices.ContainsFunc(s.oneOf, func(o *schema) bool { return o.check(v, minor) == nil }):
		return fmt.Errorf("%v has no form that it may have", v)
	case isText && s.pattern != nil && !s.pattern.MatchString(given):
		return fmt.Errorf("%q does not match %s", v, s.pattern)
	case isText && !hasFormat(given, s.format):
		return fmt.Errorf("%q is no %s", v, s.format)
	case s.bounded && noNumber == nil && (n < s.minimum || s.maximum > 0 && n > s.maximum):
		return fmt.Errorf("%d is too small or too large", n)
	}
	size := s.minSize
	var err error
	switch v := v.(type) {
	case string:
		size = utf8.RuneCountInString(v)
	case []any:
		size, err = len(v), s.checkArray(v, minor)
	case object:
		size, err = len(v), s.checkObject(v, minor)
	}
	if size < s.minSize || s.maxSize > 0 && size > s.maxSize {
		return fmt.Errorf("%v is too short or too long", v)
	}
	return err
}

func isType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case object:
		return name == "object"
	case number:
		_, err := strconv.Atoi(string(v))
		return name == "number" || name == "integer" && err == nil
	}
	return false
}

func (s *schema) checkArray(v []any, minor int) error {
	for i, e := range v {
		if s.items == nil {
			continue
		}
		if err := s.items.check(e, minor); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

func (s *schema) checkObject(v object, minor int) error {
	known := map[string]bool{}
	for _, p := range s.props {
		if !p.in(minor) {
			continue
		}
		known[p.name] = true
		value, ok := v.get(p.name)
		if ok {
			if err := p.schema.check(value, minor); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		} else if p.required {
			return fmt.Errorf("%s is missing", p.name)
		}
	}
	for _, f := range v {
		switch {
		case known[f.key]:
		case s.keys != nil && s.keys.MatchString(f.key):
			if err := s.others.check(f.value, minor); err != nil {
				return fmt.Errorf("%s: %w", f.key, err)
			}
		case s.closed:
			return fmt.Errorf("%s is not known", f.key)
		}
	}
	return nil
}

func isName(s string) bool {
	if strings.TrimFunc(s, unicode.IsSpace) != s {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$`)

func hasFormat(s, format string) bool {
	switch format {
	case "name":
		return isName(s)
	case "uuid":
		return uuidPattern.MatchString(s)
	case "regex":
		_, err := regexp.Compile(s)
		return s != "" && err == nil
	}
	return true
}

// closed is an object without other properties.
func closed(props ...prop) *schema { return &schema{types: jsonObject, closed: true, props: props} }

// wrapped is an object with one property, which has everything else.
func wrapped(name string, value *schema) *schema {
	return closed(prop{name: name, required: true, schema: value})
}

// Parts of Nova's schemas that several requests share.
var (
	nameSchema     = &schema{types: jsonString, minSize: 1, maxSize: 255, format: "name"}
	uuidSchema     = &schema{types: jsonString, format: "uuid"}
	countSchema    = &schema{types: jsonDigits, bounded: true, minimum: 1, pattern: notSigned, minSize: 1}
	tagSchema      = &schema{types: jsonString, minSize: 1, maxSize: 60, pattern: regexp.MustCompile(`^[^,/]*$`)}
	tagListSchema  = &schema{types: []string{"array"}, items: tagSchema, maxSize: 50}
	stringOrNull   = &schema{types: []string{"string", "null"}, maxSize: 255}
	metadataKeys   = regexp.MustCompile(`^[a-zA-Z0-9-_:. ]{1,255}$`)
	metadataSchema = &schema{
		types:  jsonObject,
		keys:   metadataKeys,
		others: &schema{types: jsonString, maxSize: 255},
		closed: true,
	}
	arrayOfObjects = &schema{types: []string{"array"}, items: &schema{types: jsonObject}}
	portOrNull     = &schema{oneOf: []*schema{uuidSchema, {types: []string{"null"}}}}
	anyString      = &schema{types: jsonString}
	securityGroups = &schema{
		types: []string{"array"},
		items: closed(prop{name: "name", schema: nameSchema}),
	}
	schedulerHints  = &schema{types: jsonObject, props: []prop{{name: "group", schema: uuidSchema}}}
	imageSchema     = &schema{oneOf: []*schema{uuidSchema, {types: jsonString, enum: []any{""}}}}
	flavorRefSchema = &schema{types: []string{"string", "integer"}, minSize: 1}
)

// networkList is the list of networks at creation; before 2.37 their ids are checked later.
func networkList(id *schema) *schema {
	return &schema{types: []string{"array"}, items: closed(
		prop{name: "fixed_ip", schema: anyString},
		prop{name: "port", schema: portOrNull},
		prop{name: "uuid", schema: id},
		prop{name: "tag", schema: tagSchema, since: 32},
	)}
}

// createSchema is the body of POST /servers.
var createSchema = &schema{types: jsonObject, closed: true, props: []prop{
	{name: "server", required: true, schema: &schema{types: jsonObject, closed: true, props: []prop{
		{name: "name", schema: nameSchema, required: true},
		{name: "imageRef", schema: imageSchema},
		{name: "flavorRef", schema: flavorRefSchema, required: true},
		{name: "adminPass", schema: anyString},
		{name: "metadata", schema: metadataSchema},
		{name: "networks", schema: networkList(anyString), until: 36},
		{name: "networks", required: true, since: 37, schema: &schema{oneOf: []*schema{
			networkList(uuidSchema), {types: jsonString, enum: []any{"none", "auto"}},
		}}},
		{name: "availability_zone", schema: nameSchema},
		{name: "block_device_mapping_v2", schema: arrayOfObjects},
		{name: "config_drive", schema: boolean},
		{name: "key_name", schema: nameSchema},
		{name: "security_groups", schema: securityGroups},
		{name: "user_data", schema: anyString},
		{name: "description", schema: stringOrNull, since: 19},
		{name: "tags", schema: tagListSchema, since: 52},
	}}},
	{name: "os:scheduler_hints", schema: schedulerHints},
}}

// updateSchema is the body of PUT /servers/{}.
var updateSchema = wrapped("server", closed(
	prop{name: "name", schema: nameSchema},
))
