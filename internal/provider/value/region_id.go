package value

import "strings"

// ParseRegionalID splits <region>/<id>. A region's name may have slashes, an
// id has no slash.
func ParseRegionalID(text string) (region, id string, ok bool) {
	i := strings.LastIndex(text, "/")
	if i < 1 || i == len(text)-1 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}
