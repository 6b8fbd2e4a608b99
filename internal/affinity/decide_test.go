package affinity

import (
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stretchr/testify/assert"
)

func TestChoose(t *testing.T) {
	groups := []openstack.ServerGroup{
		{ID: "1", Name: "web", Policy: AntiAffinity},
		{ID: "2", Name: "db", Policy: AntiAffinity, MaxServerPerHost: 3},
		{ID: "3", Name: "twin", Policy: Affinity},
		{ID: "4", Name: "twin", Policy: AntiAffinity},
		{ID: "5", Name: "1", Policy: Affinity}, // the name is the id of another group
		{ID: "6", Name: "own", Policy: AntiAffinity},
		{ID: "7", Name: "two", Policy: AntiAffinity},
		{ID: "8", Name: "two", Policy: Affinity},
	}
	for _, c := range []struct {
		name    string
		policy  Policy
		inherit string // id of the inherited group; "" if one is created
		err     string
	}{
		{"inherited by name", Policy{Name: "web", Policy: AntiAffinity}, "1", ""},
		{"inherited by id", Policy{Name: "4", Policy: AntiAffinity}, "4", ""},
		{"an id goes before a name", Policy{Name: "1", Policy: AntiAffinity}, "1", ""},
		{"any rule fits where none is asked", Policy{Name: "db", Policy: AntiAffinity}, "2", ""},
		{"the rule that is asked", Policy{Name: "db", Policy: AntiAffinity, MaxServerPerHost: 3}, "2", ""},
		{"inherited through hints", Policy{Hint: "web", Policy: AntiAffinity}, "1", ""},
		{"a name goes before hints", Policy{Name: "db", Hint: "web", Policy: AntiAffinity}, "2", ""},
		{"created by name, whatever the hints", Policy{Name: "new", Hint: "web", Policy: Affinity}, "", ""},
		{"created with a name of its own", Policy{Policy: Affinity}, "", ""},
		{"another policy", Policy{Name: "web", Policy: SoftAntiAffinity}, "",
			`The server group "web" (1) has the policy anti-affinity, and the attachment asks for soft-anti-affinity`},
		{"the default rule, asked", Policy{Name: "web", Policy: AntiAffinity, MaxServerPerHost: 1}, "1", ""},
		{"another rule", Policy{Name: "db", Policy: AntiAffinity, MaxServerPerHost: 2}, "",
			`The server group "db" (2) has the policy anti-affinity with at most 3 servers a host, and the attachment asks for anti-affinity with at most 2 ` +
				`servers a host`},
		{"several of one name", Policy{Name: "twin", Policy: Affinity}, "", `2 server groups are named "twin" (3, 4): name the right one by its id`},
		{"hints to nowhere", Policy{Hint: "none", Policy: Affinity}, "", `No server group has the name or id "none", which the scheduler hints give`},
		{"an id that is not visible", Policy{Name: "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63", Policy: Affinity}, "",
			`No server group with the id "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63" is visible to the project`},
		{"a name that only begins like an id", Policy{Name: "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63-web", Policy: Affinity}, "", ""},
		{"hints to another policy", Policy{Hint: "web", Policy: Affinity}, "", "has the policy anti-affinity, and the attachment asks for affinity"},
		{"hints alone accept any policy and rule", Policy{Hint: "db"}, "2", ""},
		// The name of a group that is about to be deleted is free.
		{"leaving: its name is free", Policy{Name: "own", Policy: SoftAffinity}, "", ""},
		{"leaving: another one of its name", Policy{Name: "two", Policy: Affinity}, "8", ""},
		{"leaving: another one of its name, with other rules", Policy{Name: "two", Policy: SoftAffinity}, "",
			`The server group "two" (8) has the policy affinity`},
		{"leaving: by its id", Policy{Name: "6", Policy: SoftAffinity}, "", `The server group "own" (6) has the policy anti-affinity`},
		{"leaving: by hints", Policy{Hint: "own", Policy: SoftAffinity}, "", `No server group has the name or id "own"`},
	} {
		leaving := ""
		if strings.HasPrefix(c.name, "leaving") {
			if leaving = "6"; c.policy.Name == "two" {
				leaving = "7"
			}
		}
		got, err := choose(c.policy, groups, func(id string) bool { return id == leaving })
		switch {
		case c.err != "":
			assert.ErrorContains(t, err, c.err, c.name)
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case (got == nil) != (c.inherit == "") || got != nil && got.ID != c.inherit:
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
}

func TestAnother(t *testing.T) {
	own := Attached{ID: "1", Name: "web", Region: "R", Policy: AntiAffinity}
	ruled, theirs, db := own, own, own
	ruled.MaxServerPerHost = 2
	theirs.Inherited = true
	db.Inherited, db.Policy = true, SoftAffinity
	for _, c := range []struct {
		name   string
		has    Attached
		region string
		policy Policy
		want   string
	}{
		{"the same", own, "R", Policy{Name: "web", Policy: AntiAffinity}, ""},
		{"by its id", own, "R", Policy{Name: "1", Policy: AntiAffinity}, ""},
		{"by hints", own, "R", Policy{Hint: "web"}, ""},
		{"by hints, to its id", theirs, "R", Policy{Hint: "1", Policy: AntiAffinity}, ""},
		{"by hints, of a group of its own with another policy", Attached{ID: "1", Name: "s", Region: "R", Policy: SoftAffinity}, "R",
			Policy{Hint: "s"}, ""},
		{"a name before hints", own, "R", Policy{Name: "web", Policy: AntiAffinity, Hint: "other"}, ""},
		{"a name no longer given", own, "R", Policy{Policy: AntiAffinity}, ""},
		{"inherited by hints with any policy", db, "R", Policy{Hint: "web"}, ""},
		{"another region", own, "S", Policy{Name: "web", Policy: AntiAffinity}, "region"},
		{"another name", own, "R", Policy{Name: "new", Policy: AntiAffinity}, "servergroup.name"},
		{"other hints", own, "R", Policy{Hint: "new"}, "scheduler_hints.group"},
		{"nothing named, inherited", theirs, "R", Policy{}, "servergroup"},
		{"another policy", own, "R", Policy{Name: "web", Policy: Affinity}, "servergroup.policies"},
		{"another policy, of hints", db, "R", Policy{Hint: "web", Policy: AntiAffinity}, "servergroup.policies"},
		{"the default policy", Attached{ID: "1", Name: "s", Region: "R", Policy: SoftAffinity}, "R", Policy{}, "servergroup.policies"},
		{"another rule", ruled, "R", Policy{Name: "web", Policy: AntiAffinity, MaxServerPerHost: 3}, "servergroup.max_server_per_host"},
		{"no rule", ruled, "R", Policy{Name: "web", Policy: AntiAffinity}, "servergroup.max_server_per_host"},
		{"the default rule, asked", own, "R", Policy{Name: "web", Policy: AntiAffinity, MaxServerPerHost: 1}, ""},
		{"no rule of an inherited group", Attached{ID: "1", Name: "web", Region: "R", Policy: AntiAffinity, MaxServerPerHost: 2, Inherited: true}, "R",
			Policy{Name: "web", Policy: AntiAffinity}, ""},
	} {
		assert.Equal(t, c.want, c.has.Another(c.region, c.policy), c.name)
	}
}

func TestViolations(t *testing.T) {
	group := openstack.ServerGroup{Policy: AntiAffinity, Members: []string{"c", "a", "b", "d", "e"}}
	hosts := map[string]string{"a": "h2", "b": "h2", "c": "h1", "d": "h1", "e": "h3"} // the host of one member is not known
	want := []Violation{{"h1", []string{"c", "d"}}, {"h2", []string{"a", "b"}}}
	assert.Equal(t, want, Violations(group, hosts))
	delete(hosts, "a")
	assert.Equal(t, want[:1], Violations(group, hosts))
	group.MaxServerPerHost = 2
	assert.Empty(t, Violations(group, hosts), "two a host are allowed")
	group.Policy, group.MaxServerPerHost = SoftAntiAffinity, 0
	assert.Empty(t, Violations(group, hosts), "a soft policy is not broken")
}
