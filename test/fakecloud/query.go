package fakecloud

import "strings"

// pythonBool reads a flag as oslo.utils does, for which an unknown value is false.
func pythonBool(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "t", "true", "on", "y", "yes":
		return true
	}
	return false
}
