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
		inherit string // id of the inherited group
		create  string
		err     string
	}{
		{"inherited by name", Policy{Name: "web", Policy: AntiAffinity}, "1", "", ""},
		{"inherited by id", Policy{Name: "4", Policy: AntiAffinity}, "4", "", ""},
		{"an id goes before a name", Policy{Name: "1", Policy: AntiAffinity}, "1", "", ""},
		{"any rule fits where none is asked", Policy{Name: "db", Policy: AntiAffinity}, "2", "", ""},
		{"the rule that is asked", Policy{Name: "db", Policy: AntiAffinity, MaxServerPerHost: 3}, "2", "", ""},
		{"inherited through hints", Policy{Hint: "web", Policy: AntiAffinity}, "1", "", ""},
		{"a name goes before hints", Policy{Name: "db", Hint: "web", Policy: AntiAffinity}, "2", "", ""},
		{"created by name, whatever the hints", Policy{Name: "new", Hint: "web", Policy: Affinity}, "", "new", ""},
		{"created with a name of its own", Policy{Policy: Affinity}, "", "", ""},
		{"another policy", Policy{Name: "web", Policy: SoftAntiAffinity}, "", "",
			`the server group "web" (1) has the policy anti-affinity, and the attachment asks for soft-anti-affinity`},
		{"the default rule, asked", Policy{Name: "web", Policy: AntiAffinity, MaxServerPerHost: 1}, "1", "", ""},
		{"another rule", Policy{Name: "db", Policy: AntiAffinity, MaxServerPerHost: 2}, "", "",
			`the server group "db" (2) has the policy anti-affinity with at most 3 servers a host, and the attachment asks for anti-affinity with at most 2 ` +
				`servers a host`},
		{"several of one name", Policy{Name: "twin", Policy: Affinity}, "", "", `2 server groups are named "twin" (3, 4): name the right one by its id`},
		{"hints to nowhere", Policy{Hint: "none", Policy: Affinity}, "", "", `no server group has the name or id "none", which the scheduler hints give`},
		{"an id that is not visible", Policy{Name: "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63", Policy: Affinity}, "", "",
			`no server group with the id "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63" is visible to the project`},
		{"a name that only begins like an id", Policy{Name: "1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63-web", Policy: Affinity}, "",
			"1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63-web", ""},
		{"hints to another policy", Policy{Hint: "web", Policy: Affinity}, "", "", "has the policy anti-affinity, and the attachment asks for affinity"},
		{"hints alone accept any policy and rule", Policy{Hint: "db"}, "2", "", ""},
		// The name of a group that is about to be deleted is free.
		{"leaving: its name is free", Policy{Name: "own", Policy: SoftAffinity}, "", "own", ""},
		{"leaving: another one of its name", Policy{Name: "two", Policy: Affinity}, "8", "", ""},
		{"leaving: another one of its name, with other rules", Policy{Name: "two", Policy: SoftAffinity}, "", "",
			`the server group "two" (8) has the policy affinity`},
		{"leaving: by its id", Policy{Name: "6", Policy: SoftAffinity}, "", "", `the server group "own" (6) has the policy anti-affinity`},
		{"leaving: by hints", Policy{Hint: "own", Policy: SoftAffinity}, "", "", `no server group has the name or id "own"`},
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
		case (got.inherit == nil) != (c.inherit == "") || got.inherit != nil && got.inherit.ID != c.inherit || got.create != c.create:
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
}

func TestNeedsAnother(t *testing.T) {
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
		want   Change
	}{
		{"the same", own, "R", Policy{Name: "web", Policy: AntiAffinity}, Change{}},
		{"by its id", own, "R", Policy{Name: "1", Policy: AntiAffinity}, Change{}},
		{"by hints", own, "R", Policy{Hint: "web"}, Change{}},
		{"by hints, to its id", theirs, "R", Policy{Hint: "1", Policy: AntiAffinity}, Change{}},
		{"by hints, of a group of its own with another policy", Attached{ID: "1", Name: "s", Region: "R", Policy: SoftAffinity}, "R",
			Policy{Hint: "s"}, Change{}},
		{"a name before hints", own, "R", Policy{Name: "web", Policy: AntiAffinity, Hint: "other"}, Change{}},
		{"a name no longer given", own, "R", Policy{Policy: AntiAffinity}, Change{}},
		{"inherited by hints with any policy", db, "R", Policy{Hint: "web"}, Change{}},
		{"another region", own, "S", Policy{Name: "web", Policy: AntiAffinity}, Change{"region", "its region changes from R to S"}},
		{"another name", own, "R", Policy{Name: "new", Policy: AntiAffinity}, Change{"servergroup.name", `another group is named, "new"`}},
		{"other hints", own, "R", Policy{Hint: "new"}, Change{"scheduler_hints.group", `the scheduler hints name another group, "new"`}},
		{"nothing named, inherited", theirs, "R", Policy{}, Change{"servergroup", "no group is named any more, so that the attachment gets one of its own"}},
		{"another policy", own, "R", Policy{Name: "web", Policy: Affinity},
			Change{"servergroup.policies", "its policy changes from anti-affinity to affinity"}},
		{"another policy, of hints", db, "R", Policy{Hint: "web", Policy: AntiAffinity},
			Change{"servergroup.policies", "its policy changes from soft-affinity to anti-affinity"}},
		{"the default policy", Attached{ID: "1", Name: "s", Region: "R", Policy: SoftAffinity}, "R", Policy{},
			Change{"servergroup.policies", "its policy changes from soft-affinity to anti-affinity"}},
		{"another rule", ruled, "R", Policy{Name: "web", Policy: AntiAffinity, MaxServerPerHost: 3},
			Change{"servergroup.max_server_per_host", "the maximum number of its servers on one host changes from 2 to 3"}},
		{"no rule", ruled, "R", Policy{Name: "web", Policy: AntiAffinity},
			Change{"servergroup.max_server_per_host", "the maximum number of its servers on one host changes from 2 to the default"}},
		{"the default rule, asked", own, "R", Policy{Name: "web", Policy: AntiAffinity, MaxServerPerHost: 1}, Change{}},
		{"no rule of an inherited group", Attached{ID: "1", Name: "web", Region: "R", Policy: AntiAffinity, MaxServerPerHost: 2, Inherited: true}, "R",
			Policy{Name: "web", Policy: AntiAffinity}, Change{}},
	} {
		assert.Equal(t, c.want, NeedsAnother(c.has, c.region, c.policy), c.name)
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
