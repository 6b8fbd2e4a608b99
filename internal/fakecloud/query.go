package fakecloud

import "strings"

// pythonBool reads a flag as oslo.utils does; ok is false for anything it does
// not know.
func pythonBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "t", "true", "on", "y", "yes":
		return true, true
	case "0", "f", "false", "off", "n", "no":
		return false, true
	}
	return false, false
}
