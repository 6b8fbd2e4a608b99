package affinity

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

func TestDecide(t *testing.T) {
	groups := []openstack.ServerGroup{
		{ID: "1", Name: "web", Policy: AntiAffinity},
		{ID: "2", Name: "db", Policy: AntiAffinity, MaxServerPerHost: 3},
		{ID: "3", Name: "twin", Policy: Affinity},
		{ID: "4", Name: "twin", Policy: AntiAffinity},
		{ID: "5", Name: "1", Policy: Affinity}, // another's id as a name
	}
	for _, c := range []struct {
		name    string
		policy  Policy
		inherit string // id
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
		{"created by name", Policy{Name: "new", Policy: Affinity}, "", "new", ""},
		{"created with a name of its own", Policy{Policy: Affinity}, "", "", ""},
		{"another policy", Policy{Name: "web", Policy: SoftAntiAffinity}, "", "",
			`the server group "web" (1) has the policy anti-affinity, and the attachment asks for soft-anti-affinity`},
		{"another rule", Policy{Name: "db", Policy: AntiAffinity, MaxServerPerHost: 2}, "", "",
			`the server group "db" (2) has the policy anti-affinity with at most 3 servers a host, and the attachment asks for anti-affinity with at most 2 servers a host`},
		{"several of one name", Policy{Name: "twin", Policy: Affinity}, "", "", `2 server groups are named "twin" (3, 4): name the right one by its id`},
		{"hints to nowhere", Policy{Hint: "none", Policy: Affinity}, "", "", `no server group has the name or id "none", which the scheduler hints give`},
		{"hints to another policy", Policy{Hint: "web", Policy: Affinity}, "", "", "has the policy anti-affinity, and the attachment asks for affinity"},
	} {
		got, err := Decide(c.policy, groups)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case (got.Inherit == nil) != (c.inherit == "") || got.Inherit != nil && got.Inherit.ID != c.inherit || got.Create != c.create:
			t.Errorf("%s: got %+v", c.name, got)
		}
	}
}

func TestDRSHost(t *testing.T) {
	up := func(hostname, host string) openstack.Hypervisor {
		return openstack.Hypervisor{Hostname: hostname, Host: host, Up: true, Enabled: true}
	}
	for _, c := range []struct {
		name        string
		hypervisors []openstack.Hypervisor
		want        string
	}{
		{"the compute service's host", []openstack.Hypervisor{up("domain-c7.vsphere_drs_1", "compute-3")}, "compute-3"},
		{"in any case", []openstack.Hypervisor{up("kvm-1", "a"), up("VSPHERE-DRS", "b")}, "b"},
		{"the first by hostname", []openstack.Hypervisor{up("drs-2", "two"), up("drs-1", "one")}, "one"},
		{"not hydra, not andromeda", []openstack.Hypervisor{up("hydra-01", "h"), up("andromeda", "a")}, ""},
		{"down", []openstack.Hypervisor{{Hostname: "drs-1", Host: "one", Enabled: true}}, ""},
		{"disabled", []openstack.Hypervisor{{Hostname: "drs-1", Host: "one", Up: true}}, ""},
		{"none", nil, ""},
	} {
		if got := DRSHost(c.hypervisors); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestViolations(t *testing.T) {
	group := openstack.ServerGroup{Policy: AntiAffinity, Members: []string{"c", "a", "b", "d", "e"}}
	hosts := map[string]string{"a": "h2", "b": "h2", "c": "h1", "d": "h1", "e": "h3"} // of one member no host is known
	want := []Violation{{"h1", []string{"c", "d"}}, {"h2", []string{"a", "b"}}}
	if got := Violations(group, hosts); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	delete(hosts, "a")
	if got := Violations(group, hosts); !reflect.DeepEqual(got, want[:1]) {
		t.Errorf("got %+v", got)
	}
	group.MaxServerPerHost = 2
	if got := Violations(group, hosts); got != nil {
		t.Errorf("two a host are allowed: got %+v", got)
	}
	group.Policy, group.MaxServerPerHost = SoftAntiAffinity, 0
	if got := Violations(group, hosts); got != nil {
		t.Errorf("a soft policy is not broken: got %+v", got)
	}
}

func TestRoom(t *testing.T) {
	hosts := []openstack.Hypervisor{{Up: true, Enabled: true}, {Up: true, Enabled: true}, {Up: true}, {Enabled: true}}
	if got := Room(openstack.ServerGroup{}, hosts); got != 2 {
		t.Errorf("got %d", got)
	}
	if got := Room(openstack.ServerGroup{MaxServerPerHost: 3}, hosts); got != 6 {
		t.Errorf("got %d", got)
	}
}
