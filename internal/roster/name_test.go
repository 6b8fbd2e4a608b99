package roster

import "testing"

func TestPattern(t *testing.T) {
	for pattern, want := range map[Pattern]string{
		DefaultPattern:              "web-12",
		"{index}.{cluster}.example": "12.web.example",
		"node{index}":               "node12",
		"{index}-{index}":           "12-12",
	} {
		if fault := pattern.Check(); fault != "" {
			t.Errorf("%s: %s", pattern, fault)
		}
		if got := pattern.Name("web", 12); got != want {
			t.Errorf("%s: got %s, want %s", pattern, got, want)
		}
	}
	for _, pattern := range []Pattern{"", "web", "{cluster}", "{cluster}-{number}", "{index}-{", "{index:02}"} {
		if pattern.Check() == "" {
			t.Errorf("%q was accepted", pattern)
		}
	}
}

func TestPatternRegexp(t *testing.T) {
	for name, index := range map[string]string{"we.b-7": "7", "we.b-007": "007", "web-7": "", "we.b-7-1": "", "we.b-": "", "my-we.b-1": "", "we.b-1234567890123456": ""} {
		got := ""
		if m := DefaultPattern.Regexp("we.b").FindStringSubmatch(name); m != nil {
			got = m[1]
		}
		if got != index {
			t.Errorf("%s: got %q, want %q", name, got, index)
		}
	}
}
