package fakecloud

import "strings"

// pythonBool reads a flag as oslo.utils does, which takes what it does not know for false.
func pythonBool(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "t", "true", "on", "y", "yes":
		return true
	}
	return false
}
