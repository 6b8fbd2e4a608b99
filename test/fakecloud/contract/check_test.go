package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// answer is an answer of a service.
type answer struct {
	*cloud
	status int
	header http.Header
	body   []byte
	doc    any // the body, if it is JSON
}

// check checks an answer. Its error says what is wrong.
type check func(*answer) error

// at finds a value by its path: keys and indexes with dots between; a star stands for all items of a list. The empty
// path is the whole document.
func at(v any, path string) (any, bool) {
	if path == "" {
		return v, true
	}
	key, rest, _ := strings.Cut(path, ".")
	switch v := v.(type) {
	case map[string]any:
		if inner, ok := v[key]; ok {
			return at(inner, rest)
		}
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i < len(v) {
			return at(v[i], rest)
		}
		if key == "*" {
			all := []any{}
			for _, item := range v {
				if inner, ok := at(item, rest); ok {
					all = append(all, inner)
				}
			}
			return all, true
		}
	}
	return nil, false
}

func (a *answer) at(path string) (any, error) {
	v, ok := at(a.doc, path)
	if !ok {
		return nil, fmt.Errorf("nothing is at %q", path)
	}
	return v, nil
}

func encoded(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// is: the value is this JSON.
func is(path, want string) check {
	return func(a *answer) error {
		got, err := a.at(path)
		if err != nil {
			return err
		}
		var v any
		if err := json.Unmarshal([]byte(a.expand(want)), &v); err != nil {
			return fmt.Errorf("%s: %w", want, err)
		}
		if !reflect.DeepEqual(got, v) {
			return fmt.Errorf("%q is %s, want %s", path, encoded(got), encoded(v))
		}
		return nil
	}
}

// like: the value, as text, matches a pattern as a whole.
func like(path, pattern string) check {
	return func(a *answer) error {
		v, err := a.at(path)
		if err != nil {
			return err
		}
		return fits(path, fmt.Sprint(v), a.expand(pattern))
	}
}

func fits(what, got, pattern string) error {
	if !regexp.MustCompile(`(?s)\A(?:` + pattern + `)\z`).MatchString(got) {
		return fmt.Errorf("%s is %q, want %q", what, got, pattern)
	}
	return nil
}

// keys: an object, or each object of a list, has exactly these keys.
func keys(path, names string) check {
	return func(a *answer) error {
		v, err := a.at(path)
		if err != nil {
			return err
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		if len(list) == 0 {
			return fmt.Errorf("%q is empty", path)
		}
		want := slices.Sorted(strings.FieldsSeq(names))
		for _, item := range list {
			object, _ := item.(map[string]any)
			if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
				return fmt.Errorf("%q has the keys %v, want %v", path, got, want)
			}
		}
		return nil
	}
}

// has: there is a value at the path of each name.
func has(path, names string) check {
	return func(a *answer) error {
		for name := range strings.FieldsSeq(names) {
			if _, err := a.at(strings.Trim(path+"."+name, ".")); err != nil {
				return err
			}
		}
		return nil
	}
}

// lacks: there is no value at the path of any name.
func lacks(path, names string) check {
	return func(a *answer) error {
		for name := range strings.FieldsSeq(names) {
			if v, err := a.at(strings.Trim(path+"."+name, ".")); err == nil {
				return fmt.Errorf("%q has %s: %s", path, name, encoded(v))
			}
		}
		return nil
	}
}

// includes: a list has this text among its items.
func includes(path, want string) check { return among(path, want, true) }

// without: a list does not have this text among its items.
func without(path, want string) check { return among(path, want, false) }

func among(path, item string, want bool) check {
	return func(a *answer) error {
		got, err := a.at(path)
		if err != nil {
			return err
		}
		list, ok := got.([]any)
		if !ok || slices.Contains(list, any(a.expand(item))) != want {
			return fmt.Errorf("%q is %s; that it has %s: want %t", path, encoded(got), a.expand(item), want)
		}
		return nil
	}
}

// size: a list has this number of items.
func size(path string, want int) check {
	return func(a *answer) error {
		v, err := a.at(path)
		if err != nil {
			return err
		}
		if list, ok := v.([]any); !ok || len(list) != want {
			return fmt.Errorf("%q is %s, want %d items", path, encoded(v), want)
		}
		return nil
	}
}

// header: the value of a header matches a pattern as a whole; "" means that it is missing.
func header(name, pattern string) check {
	return func(a *answer) error {
		return fits(name, strings.Join(a.header.Values(name), ", "), a.expand(pattern))
	}
}

// text: the body matches a pattern as a whole.
func text(pattern string) check {
	return func(a *answer) error { return fits("the body", string(a.body), a.expand(pattern)) }
}

// fault is an error of Nova: the whole body.
func fault(name, message string) check {
	return func(a *answer) error {
		return is("", fmt.Sprintf(`{%q: {"code": %d, "message": %s}}`, name, a.status, encoded(a.expand(message))))(a)
	}
}

// invalid is Nova's refusal of a part of a body or a query. The fake uses other words.
var invalid = like("badRequest.message", ".+")

// denial is an error of Keystone: the whole body.
func denial(title, message string) check {
	return func(a *answer) error {
		return is("", fmt.Sprintf(`{"error": {"code": %d, "title": %q, "message": %s}}`, a.status, title, encoded(a.expand(message))))(a)
	}
}

// keep keeps a value for later rows.
func keep(name, path string) check {
	return func(a *answer) error {
		v, err := a.at(path)
		if err == nil {
			a.vars[name] = fmt.Sprint(v)
		}
		return err
	}
}

// renewed: a value differs from the kept one, which it replaces, or is still the same. It stands after the other
// checks of the row.
func renewed(want bool, name, path string) check {
	return func(a *answer) error {
		v, err := a.at(path)
		if now := fmt.Sprint(v); err == nil && (now != a.vars[name]) != want {
			err = fmt.Errorf("%q was %s and is %s", path, a.vars[name], now)
		} else if err == nil {
			a.vars[name] = now
		}
		return err
	}
}

// keepHeader keeps the value of a header for later rows.
func keepHeader(name, from string) check {
	return func(a *answer) error {
		if a.vars[name] = a.header.Get(from); a.vars[name] == "" {
			return fmt.Errorf("no header %s", from)
		}
		return nil
	}
}

// other keeps the first text of a list that differs from the given one.
func other(name, path, not string) check {
	return func(a *answer) error {
		v, err := a.at(path)
		if err != nil {
			return err
		}
		list, _ := v.([]any)
		for _, item := range list {
			if a.vars[name] = fmt.Sprint(item); a.vars[name] != a.expand(not) {
				return nil
			}
		}
		return fmt.Errorf("%q has nothing but %s", path, a.expand(not))
	}
}
