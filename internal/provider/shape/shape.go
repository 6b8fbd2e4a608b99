// Package shape reads arguments that people write as lists or maps of objects, and says exactly what is wrong with
// them. Terraform has no type whose attributes are all optional and that refuses others: an object type drops a
// misspelled key without a word. Values may be unknown; which objects there are, and which attributes each has, may
// not.
package shape

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/provider/value"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Kind is what an attribute holds.
type Kind string

// Kinds.
const (
	Text  Kind = "a text"
	Whole Kind = "a whole number"
	Flag  Kind = "true or false"
	Texts Kind = "a list of texts"
	Map   Kind = "a map of texts"
	Any   Kind = "a list or a map of texts"

	TextOrMap Kind = "a text or a map of texts"
)

// Shape is what an object may have.
type Shape struct {
	Of    string           // what one is: "a network"
	Keys  map[string]Kind  // attributes
	Lists map[string]Shape // attributes that are lists of objects
	Short string           // the attribute that a mere text is, if any
	Needs [][]string       // of each of these it has at least one
	Known []string         // attributes that must be known while planning

	Bounds map[string][2]int64 // least and largest numbers
	Like   string              // an example of the whole argument
}

// Object has the attributes of an object that are given, by name. Null ones are left out.
type Object map[string]attr.Value

// UnknownError is an error about a value that must be known while planning.
type UnknownError struct{ At string }

func (u UnknownError) Error() string { return u.At + " is not known while planning" }

// List reads a list of objects. Nothing is an empty list.
func (s Shape) List(name string, v attr.Value) ([]Object, error) {
	v = value.Under(v)
	if v == nil || v.IsNull() {
		return nil, nil
	}
	if v.IsUnknown() {
		return nil, UnknownError{name}
	}
	switch v.(type) {
	case types.Object, types.Map:
		return nil, fmt.Errorf("%s is one object, and a list of them is needed. Put it in brackets, as in %s",
			name, s.Like)
	}
	elements, err := value.Elements(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, such as %s", name, err, s.Like)
	}
	objects := make([]Object, len(elements))
	for i, element := range elements {
		if objects[i], err = s.object(fmt.Sprintf("%s[%d]", name, i), element); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// Map reads a map of objects. Nothing is an empty map.
func (s Shape) Map(name string, v attr.Value) (map[string]Object, error) {
	v = value.Under(v)
	if v == nil || v.IsNull() {
		return nil, nil
	}
	if v.IsUnknown() {
		return nil, UnknownError{name}
	}
	fields, err := value.Fields(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, such as %s", name, err, s.Like)
	}
	objects := make(map[string]Object, len(fields))
	for _, f := range fields {
		if objects[f.Name], err = s.object(fmt.Sprintf("%s[%q]", name, f.Name), f.Value); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

func (s Shape) object(at string, v attr.Value) (Object, error) {
	v = value.Under(v)
	if v == nil || v.IsNull() {
		return nil, fmt.Errorf("%s is null. Leave it out", at)
	}
	if v.IsUnknown() {
		return nil, UnknownError{at}
	}
	if short, ok := v.(types.String); ok && s.Short != "" {
		return Object{s.Short: short}, nil
	}
	fields, err := value.Fields(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, such as %s", at, err, s.Like)
	}
	object := Object{}
	for _, f := range fields {
		if inner, has := s.Lists[f.Name]; has {
			if _, err := inner.List(at+"."+f.Name, f.Value); err != nil {
				return nil, err
			}
			object[f.Name] = f.Value
			continue
		}
		kind, has := s.Keys[f.Name]
		if !has {
			return nil, fmt.Errorf("%s has %q, and %s has no such key%s", at, f.Name, s.Of, s.advice(f.Name))
		}
		read, err := kind.read(f.Value)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", at, f.Name, err)
		}
		if read == nil || value.IsNull(read) {
			continue
		}
		if slices.Contains(s.Known, f.Name) && HoldsUnknown(read) || kind == Any && read.IsUnknown() {
			return nil, UnknownError{at + "." + f.Name}
		}
		if n, is := read.(types.Int64); is && !n.IsUnknown() {
			bounds, has := s.Bounds[f.Name]
			if n := n.ValueInt64(); has && (n < bounds[0] || n > bounds[1]) {
				return nil, fmt.Errorf("%s.%s is %d, and must be between %d and %d",
					at, f.Name, n, bounds[0], bounds[1])
			}
		}
		object[f.Name] = read
	}
	for _, one := range s.Needs {
		if !slices.ContainsFunc(one, func(key string) bool { return object[key] != nil }) {
			return nil, fmt.Errorf("%s has no %s, such as %s", at, strings.Join(one, " and no "), s.Like)
		}
	}
	return object, nil
}

// advice names the nearest key, else all keys.
func (s Shape) advice(written string) string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(s.Keys)), maps.Keys(s.Lists))
	if near := Nearest(written, keys); near != "" {
		return fmt.Sprintf(". Did you mean %q?", near)
	}
	return ". It has " + strings.Join(slices.Sorted(slices.Values(keys)), ", ")
}

// Nearest returns the word that is nearest to what was written, of equally near ones the first, or "" if none is near.
func Nearest(written string, words []string) (best string) {
	least := 4
	for _, word := range slices.Sorted(slices.Values(words)) {
		if d := text.Distance(written, word); d < least && d <= (len(word)+1)/3 {
			best, least = word, d
		}
	}
	return best
}

// unknown is what is read of a value that is not known.
var unknown = map[Kind]attr.Value{
	Text: types.StringUnknown(), Whole: types.Int64Unknown(), Flag: types.BoolUnknown(),
	Texts: types.ListUnknown(types.StringType), Map: types.MapUnknown(types.StringType),
	Any: types.MapUnknown(types.StringType), TextOrMap: types.StringUnknown(),
}

// read returns a value of the kind, as Terraform would convert it: nil for null. Null elements of a map are left out.
func (k Kind) read(v attr.Value) (attr.Value, error) {
	v = value.Under(v)
	switch {
	case v == nil || v.IsNull():
		return nil, nil
	case v.IsUnknown():
		return unknown[k], nil
	}
	list, isList := v.(interface{ Elements() []attr.Value })
	switch k {
	case Text:
		return textFrom(v)
	case Whole:
		if s, ok := v.(types.String); ok {
			if n, err := strconv.ParseInt(s.ValueString(), 10, 64); err == nil {
				return types.Int64Value(n), nil
			}
		}
		n, err := value.WholeFrom(v)
		if err != nil {
			return nil, err
		}
		return types.Int64Value(*n), nil
	case Flag:
		if s, ok := v.(types.String); ok && (s.ValueString() == "true" || s.ValueString() == "false") {
			return types.BoolValue(s.ValueString() == "true"), nil
		}
		flag, _, err := value.As[types.Bool](v, string(Flag))
		return flag, err
	case Any:
		if isList {
			return Texts.read(v)
		}
		return Map.read(v)
	case TextOrMap:
		if _, err := value.Fields(v); err == nil {
			return Map.read(v)
		}
		return textFrom(v)
	case Map:
		fields, err := value.Fields(v)
		if err != nil {
			return nil, err
		}
		texts := map[string]attr.Value{}
		for _, f := range fields {
			if value.IsNull(f.Value) {
				continue
			}
			if texts[f.Name], err = textFrom(f.Value); err != nil {
				return nil, fmt.Errorf("%q: %w", f.Name, err)
			}
		}
		return types.MapValueMust(types.StringType, texts), nil
	}
	if !isList {
		return nil, fmt.Errorf("%s is needed, such as [\"a\"]", Texts)
	}
	texts := make([]attr.Value, len(list.Elements()))
	for i, element := range list.Elements() {
		var err error
		if texts[i], err = textFrom(element); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return types.ListValueMust(types.StringType, texts), nil
}

func textFrom(v attr.Value) (attr.Value, error) {
	v = value.Under(v)
	switch {
	case v == nil || v.IsNull():
		return nil, fmt.Errorf("%s is needed, and it is null", Text)
	case v.IsUnknown():
		return types.StringUnknown(), nil
	}
	switch v := v.(type) {
	case types.Number:
		return types.StringValue(v.ValueBigFloat().Text('f', -1)), nil
	case types.Bool:
		return types.StringValue(strconv.FormatBool(v.ValueBool())), nil
	}
	s, _, err := value.As[types.String](v, string(Text))
	return s, err
}

// HoldsUnknown reports whether a value, or one in a list, is unknown. Nothing holds none.
func HoldsUnknown(v attr.Value) bool {
	if list, ok := v.(types.List); ok && !v.IsUnknown() {
		return slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
	}
	return v != nil && v.IsUnknown()
}

// Ended returns an error with a period, if it does not ask something.
func Ended(err error) string {
	if said := err.Error(); strings.HasSuffix(said, "?") {
		return said
	}
	return err.Error() + "."
}
