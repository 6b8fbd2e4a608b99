package deletion

import "strings"

// Misspelled reports whether a name may be a misspelling of another: the numbers at their ends are equal, and the
// letters before differ by at most one, or by two that are swapped. So web-00 and wbe-0 may mean web-0, and web-1 is
// another node.
func Misspelled(name, other string) bool {
	a, m := numbered(strings.ToLower(name))
	b, n := numbered(strings.ToLower(other))
	return name != other && m == n && (a == b || len(a) > 2 && len(b) > 2 && oneLetter([]rune(a), []rune(b)))
}

// numbered cuts a name before the number at its end, and removes the leading zeros of the number.
func numbered(name string) (prefix, number string) {
	prefix = strings.TrimRight(name, "0123456789")
	number = name[len(prefix):]
	if trimmed := strings.TrimLeft(number, "0"); trimmed != "" || number == "" {
		return prefix, trimmed
	}
	return prefix, "0"
}

// oneLetter reports whether one letter is missing, added or different, or two are swapped.
func oneLetter(x, y []rune) bool {
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	a, b := string(x), string(y)
	switch {
	case len(x) == len(y)+1:
		return string(x[1:]) == b
	case len(y) == len(x)+1:
		return a == string(y[1:])
	case len(x) != len(y) || len(x) == 0:
		return false
	}
	swapped := len(x) > 1 && x[0] == y[1] && x[1] == y[0] && string(x[2:]) == string(y[2:])
	return string(x[1:]) == string(y[1:]) || swapped
}
