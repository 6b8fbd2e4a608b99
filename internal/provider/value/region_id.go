package value

import "strings"

// ParseRegionalID reads <region>/<id>. A region may have slashes in its name, an
// id has none.
func ParseRegionalID(text string) (region, id string, ok bool) {
	i := strings.LastIndex(text, "/")
	if i < 1 || i == len(text)-1 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}
