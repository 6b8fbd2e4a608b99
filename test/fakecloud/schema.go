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

// schema is as much of JSON Schema as Nova's request validation uses. Checks
// run in the order in which Nova's schemas name them, for only the first
// violation is reported.
type schema struct {
	types            []string // JSON types; none: any
	enum             []any
	pattern          *regexp.Regexp // of strings only
	bounded          bool           // minimum and maximum hold; for digits in a string too
	minimum, maximum int
	minSize, maxSize int    // of strings, arrays and objects; maxSize 0: none
	format           string // name, uuid or regex
	unique           bool   // of the items of an array
	items            *schema
	props            []prop
	keys             *regexp.Regexp // of an object that is a map, with others as its values
	others           *schema
	closed           bool      // no other keys
	oneOf            []*schema // one of them must hold
}

// prop is a property, which the API may know in some microversions only.
type prop struct {
	name         string
	schema       *schema
	required     bool
	since, until int // minor versions; until 0: for ever
}

func (p prop) in(minor int) bool { return minor >= p.since && (p.until == 0 || minor <= p.until) }

// violation is what is wrong with a value.
type violation struct {
	path    []string
	value   any
	message string
	whole   string // the whole text, where it is not made from the others
}

func (s *schema) check(v any, minor int) *violation {
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isType(v, t) }) {
		quoted := make([]string, len(s.types))
		for i, t := range s.types {
			quoted[i] = python(t)
		}
		return &violation{value: v, message: python(v) + " is not of type " + strings.Join(quoted, ", ")}
	}
	if s.enum != nil && !slices.Contains(s.enum, v) {
		return &violation{value: v, message: python(v) + " is not one of " + python(s.enum)}
	}
	if s.oneOf != nil && !slices.ContainsFunc(s.oneOf, func(o *schema) bool { return o.check(v, minor) == nil }) {
		return &violation{value: v, message: python(v) + " is not valid under any of the given schemas"}
	}
	if s.bounded {
		if bad := s.checkNumber(v); bad != nil {
			return bad
		}
	}
	switch v := v.(type) {
	case string:
		return s.checkString(v)
	case []any:
		return s.checkArray(v, minor)
	case object:
		return s.checkObject(v, minor)
	}
	return nil
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

// checkNumber checks numbers, and strings of digits as Nova takes them.
func (s *schema) checkNumber(v any) *violation {
	if text, ok := v.(string); ok && s.pattern != nil && !s.pattern.MatchString(text) {
		return s.mismatch(text)
	}
	n, err := strconv.Atoi(bare(v))
	switch {
	case err != nil:
		return nil
	case n < s.minimum:
		return &violation{value: v, message: fmt.Sprintf("%d is less than the minimum of %d", n, s.minimum)}
	case s.maximum > 0 && n > s.maximum:
		return &violation{value: v, message: fmt.Sprintf("%d is greater than the maximum of %d", n, s.maximum)}
	}
	return nil
}

func (s *schema) mismatch(v string) *violation {
	return &violation{value: v, message: python(v) + " does not match " + python(s.pattern.String())}
}

func (s *schema) checkString(v string) *violation {
	switch size := utf8.RuneCountInString(v); {
	case size < s.minSize:
		return &violation{value: v, message: python(v) + " is too short"}
	case s.maxSize > 0 && size > s.maxSize:
		return &violation{value: v, message: python(v) + " is too long"}
	case s.pattern != nil && !s.pattern.MatchString(v):
		return s.mismatch(v)
	case s.format == "name" && !isName(v):
		return &violation{whole: "An invalid 'name' value was provided. The name must be: " +
			"printable characters. Can not start or end with whitespace."}
	case s.format != "" && !hasFormat(v, s.format):
		return &violation{value: v, message: python(v) + " is not a " + python(s.format)}
	}
	return nil
}

func (s *schema) checkArray(v []any, minor int) *violation {
	for i, e := range v {
		if s.items == nil {
			break
		}
		if bad := s.items.check(e, minor); bad != nil {
			return bad.under(strconv.Itoa(i))
		}
	}
	if s.unique {
		for i, e := range v {
			if slices.ContainsFunc(v[:i], func(o any) bool { return python(o) == python(e) }) {
				return &violation{value: v, message: python(v) + " has non-unique elements"}
			}
		}
	}
	switch {
	case len(v) < s.minSize:
		return &violation{value: v, message: python(v) + " is too short"}
	case s.maxSize > 0 && len(v) > s.maxSize:
		return &violation{value: v, message: python(v) + " is too long"}
	}
	return nil
}

func (s *schema) checkObject(v object, minor int) *violation {
	known := map[string]bool{}
	for _, p := range s.props {
		if !p.in(minor) {
			continue
		}
		known[p.name] = true
		if value, ok := v.get(p.name); ok {
			if bad := p.schema.check(value, minor); bad != nil {
				return bad.under(p.name)
			}
		}
	}
	var extra []string
	for _, f := range v {
		switch {
		case known[f.key]:
		case s.keys != nil && s.keys.MatchString(f.key):
			if bad := s.others.check(f.value, minor); bad != nil {
				return bad.under(f.key)
			}
		case !slices.Contains(extra, python(f.key)):
			extra = append(extra, python(f.key))
		}
	}
	for _, p := range s.props {
		if _, ok := v.get(p.name); p.required && p.in(minor) && !ok {
			return &violation{value: v, message: python(p.name) + " is a required property"}
		}
	}
	if s.closed && len(extra) > 0 {
		return &violation{value: v, message: s.unexpected(extra)}
	}
	switch {
	case len(v) < s.minSize:
		return &violation{value: v, message: python(v) + " does not have enough properties"}
	case s.maxSize > 0 && len(v) > s.maxSize:
		return &violation{value: v, message: python(v) + " has too many properties"}
	}
	return nil
}

func (s *schema) unexpected(extra []string) string {
	names := strings.Join(extra, ", ")
	if s.keys != nil {
		verb := "does"
		if len(extra) > 1 {
			verb = "do"
		}
		return fmt.Sprintf("%s %s not match any of the regexes: %s", names, verb, python(s.keys.String()))
	}
	verb := "was"
	if len(extra) > 1 {
		verb = "were"
	}
	return fmt.Sprintf("Additional properties are not allowed (%s %s unexpected)", names, verb)
}

func (v *violation) under(key string) *violation {
	v.path = append(v.path, key)
	return v
}

// ofBody is the text of a violation in a request body: it names the innermost
// key.
func (v *violation) ofBody() string {
	if v.whole != "" || len(v.path) == 0 {
		return v.whole + v.message
	}
	return fmt.Sprintf("Invalid input for field/attribute %s. Value: %s. %s", v.path[0], bare(v.value), v.message)
}

// ofQuery is the text of a violation in a query: it names the parameter.
func (v *violation) ofQuery() string {
	if len(v.path) == 0 {
		return v.message
	}
	return fmt.Sprintf("Invalid input for query parameters %s. Value: %s. %s",
		v.path[len(v.path)-1], bare(v.value), v.message)
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
	case "uuid":
		return uuidPattern.MatchString(s)
	case "regex":
		_, err := regexp.Compile(s)
		return s != "" && err == nil
	}
	return true
}
