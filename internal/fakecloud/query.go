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

// strictBool refuses what pythonBool does not know.
func strictBool(s string) (bool, error) {
	v, ok := pythonBool(s)
	if !ok {
		return false, badRequest("Unrecognized value '%s', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', "+
			"'off', 'on', 't', 'true', 'y', 'yes'", s)
	}
	return v, nil
}
