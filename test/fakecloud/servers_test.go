package fakecloud

import (
	"fmt"
	"strings"
	"testing"
)

func TestNetworks(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	for _, row := range []struct {
		version, networks string
		address           bool
	}{
		{"2.1", "", true},
		{"2.36", `, "networks": [{"uuid": "` + NetworkID + `"}]`, true},
		{"2.37", `, "networks": "auto"`, true},
		{"2.37", `, "networks": "none"`, false},
		{"2.42", `, "networks": [{"uuid": "` + NetworkID + `", "tag": "t"}]`, true},
	} {
		k.must(202, "POST compute /servers "+row.version, fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.tiny", "imageRef": %q%s}}`, c.images[0].ID, row.networks))
		a := k.must(200, "GET compute /servers/detail?limit=1", "")
		if strings.Contains(a.body, `"addresses": {"shared": [{"version": 4`) != row.address || strings.Contains(a.body, "security_groups") != row.address {
			t.Errorf("%s%s: %s", row.version, row.networks, a.body)
		}
	}
}
