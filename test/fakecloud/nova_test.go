package fakecloud

import (
	"testing"
)

func TestOlderNova(t *testing.T) {
	c := Start(t, Config{MaxMicroversion: "2.60"})
	facts(t, c, []fact{
		{"member", "GET compute /", "", 200, `"version": "2.60", "min_version": "2.1"`},
		{"member", "GET compute /servers 2.61", "", 406, "maximum is 2.60"},
		{"member", "GET compute /servers latest", "", 200, ""},
	})
}
