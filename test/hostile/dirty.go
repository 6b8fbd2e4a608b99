package hostile

import "encoding/json"

// Dirty appends a text to every string that is a value in JSON text.
func Dirty(body, dirt string) string {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return body
	}
	dirty, _ := json.Marshal(dirtied(value, dirt))
	return string(dirty)
}

func dirtied(value any, dirt string) any {
	switch v := value.(type) {
	case string:
		return v + dirt
	case []any:
		for i := range v {
			v[i] = dirtied(v[i], dirt)
		}
	case map[string]any:
		for name := range v {
			v[name] = dirtied(v[name], dirt)
		}
	}
	return value
}
