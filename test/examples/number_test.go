package examples_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/runs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	port    = `networks = [{ name = "shared", port = true }]`
	oneZone = `regions = [{ name = "RegionOne", zones = [{ name = "az-1" }] }]`
	disk    = `disks = { data = { size = 1 } }`
)

// number has what goes wrong for a cluster of three nodes, or for one that is set up, in ten applies: what happens before
// an apply, with the arguments of the module from then on, and the numbers of servers after each apply and, if nodes have
// ports, of ports; "!" is an apply that failed.
var number = []struct {
	what   string
	module string // "" for cluster
	first  string // arguments of the module
	never  bool   // whether the cluster is not set up before
	then   map[int]func(e example, said string) (arguments string)
	counts string
	status string // pattern of the status at the end; "" for in step
	ends   string // title of an error whose text ended it
}{
	{what: "a growth ends in ERROR, with another image meanwhile", first: port, then: steps{1: grows(1000), 3: gives("desired_capacity = 5", other),
		7: heals("desired_capacity = 5", other, "attempt = 2")}, counts: "5/5! 7/7! 3/3 6/6! 7/7! 3/3 5/5 5/5 5/5 5/5"},
	{what: "a server is tainted while its zone is full", first: oneZone, then: steps{
		1: taints(func(c *fakecloud.Cloud) { c.SellOut("RegionOne", "az-1", "m1.small", true) }), 5: untaints, 6: deletes("")},
		counts: "4! 5! 5! 5! 5! 3 3 3 3 3",
		ends:   "Too many servers would be made"},
	{what: "a server is tainted, and each new one ends in ERROR", then: steps{1: taints(func(c *fakecloud.Cloud) { c.FailBuilds("RegionOne", 1000) }),
		4: heals(), 5: deletes("")}, counts: "4! 5! 5! 5! 3 3 3 3 3 3", ends: "No substitute can be made now"},
	{what: "three images of a cluster that never served", never: true, first: silent(1), then: steps{2: gives(silent(2)), 3: gives(silent(3)), 6: gives(other)},
		counts: "3! 6! 0 3! 3! 3 3 3 3 3"},
	{what: "a growth ends in ERROR once", first: port, then: steps{1: grows(2)}, counts: "5/5! 5/5 5/5 5/5 5/5 5/5 5/5 5/5 5/5 5/5"},
	{what: "no DELETE succeeds, and the size changes", then: steps{1: undeleted, 2: gives("desired_capacity = 3"), 3: gives("desired_capacity = 5"),
		4: gives("desired_capacity = 3"), 5: gives("desired_capacity = 5")}, counts: "5 5! 7! 7! 9! 9! 9! 9! 9! 9!",
		status: "held: no node has the servers web-0 .* and 3 more: delete them"},
	// Until an apply has ended well, nobody can tell such a server from one that Terraform destroys then.
	{what: "the answers of two servers are lost", first: port, then: steps{1: loses(2, fakecloud.Compute, "/servers", other), 7: deletes("")},
		status: "in step",
		counts: "4/4! 4/4! 4/3 4/3 4/3 4/3 3/3 3/3 3/3 3/3"},
	{what: "the answers of two ports are lost", first: port, then: steps{1: loses(2, fakecloud.Network, "/ports", other)},
		counts: "3/4! 3/4! 3/3 3/3 3/3 3/3 3/3 3/3 3/3 3/3"},
	{what: "the answers of two volumes are lost", module: "stateful", first: disk,
		then:   steps{1: loses(2, fakecloud.BlockStorage, "/volumes", "desired_capacity = 5")},
		counts: "5! 5 5 5 5 5 5 5 5 5"},
	{what: "a server ends in ERROR once, and keeps its port", first: port, then: steps{1: fails(1)}, counts: "4/4! 3/3 3/3 3/3 3/3 3/3 3/3 3/3 3/3 3/3"},
	{what: "a bad image, then a good one, with a quota for one batch", then: steps{1: quota(4, silent(1)), 3: gives(other)}, counts: "4! 4! 4! 3 3 3 3 3 3 3"},
	{what: "a first setup with a quota for five", never: true, first: silent(1), then: steps{1: quota(5, silent(1)), 3: gives(other)},
		counts: "3! 3! 5! 2 3 3 3 3 3 3"},
	{what: "a growth beyond the quota", then: steps{1: quota(4, "desired_capacity = 5"), 7: quota(9, "desired_capacity = 5")},
		counts: "4! 4! 4! 4! 4! 4! 5 5 5 5"},
	{what: "a growth beyond the quota, taken back", then: steps{1: quota(4, "desired_capacity = 5"), 3: gives("desired_capacity = 4")},
		counts: "4! 4! 4 4 4 4 4 4 4 4"},
	{what: "an image in a full quota, with a node fewer meanwhile", // as "Your cloud" says
		then: steps{1: quota(3, other), 2: gives(other, "desired_capacity = 2"), 6: gives(other)}, counts: "3! 2 2 2 2 3 3 3 3 3"},
	{what: "slots for which there is no host, taken back", module: "stateful", first: oneZone, then: steps{1: sells(true), 3: gives("")},
		counts: "5! 5! 3 3 3 3 3 3 3 3"},
	{what: "creations are refused in two applies", then: steps{1: refuses(2, other)}, counts: "3! 3! 3 3 3 3 3 3 3 3"},
	{what: "all answers of a first setup are lost, with the wrong image", never: true, first: port, then: steps{
		1: loses(3, fakecloud.Compute, "/servers", ""), 2: gives(other), 4: deletes("")}, counts: "3/3! 3/3! 3/3! 3/3 3/3 3/3 3/3 3/3 3/3 3/3"},
	{what: "a bad image, then another bad one, then a good one", then: steps{1: gives(silent(1)), 2: gives(silent(2)), 6: gives(other)},
		counts: "4! 5! 5! 5! 5! 3 3 3 3 3"},
	{what: "many answers of a growth are lost",
		then:   steps{1: loses(4, fakecloud.Compute, "/servers", "desired_capacity = 5"), 6: deletes("desired_capacity = 5")},
		counts: "5! 7! 7 7 7 5 5 5 5 5"},
	{what: "a growth finds no host for some time", first: oneZone, then: steps{1: sells(true), 6: sells(false)}, counts: "5! 3 3 3 3 5 5 5 5 5"},
	{what: "all marks are wiped", then: steps{1: alters(func(s *fakecloud.Server) { delete(s.Metadata, openstack.MarkKey) })},
		counts: "3 3 3 3 3 3 3 3 3 3"},
	{what: "all servers are stopped", then: steps{1: alters(func(s *fakecloud.Server) { s.Status = "SHUTOFF" })}, counts: "3 3 3 3 3 3 3 3 3 3"},
	{what: "a growth comes with -target in part", then: steps{1: refuses(2, "desired_capacity = 5"), 2: targets}, counts: "3! 5 5 5 5 5 5 5 5 5"},
	{what: "Terraform forgets a server that somebody keeps", then: steps{1: forgets("kept"), 3: gives("")}, counts: "4 4 4 4 4 4 4 4 4 4"},
	{what: "Terraform forgets the server of a candidate", then: steps{1: forgets("candidates")},
		counts: "4 4 4 4 4 4 4 4 4 4", status: "held: no node has the servers web-0 .*: delete them"},
	{what: "only a deposed server of a name is left", then: steps{1: deposes, 2: orphans}, counts: "4! 2 2 2 2 2 2 2 2 2"},
	{what: "every server ends in ERROR", module: "stateful", first: port, then: steps{1: fails(1000), 6: heals(other, "attempt = 2")},
		counts: "3/3! 3/3! 3/3! 3/3! 3/3! 3/3 3/3 3/3 3/3 3/3"},
}

type steps = map[int]func(e example, said string) string

// other is an image that serves.
const other = `image = "debian-13"`

func gives(arguments ...string) func(example, string) string {
	return func(example, string) string { return strings.Join(arguments, "\n") }
}

// silent are the arguments of an image that never serves.
func silent(attempt int) string {
	return fmt.Sprintf("image = \"debian-broken\"\nattempt = %d", attempt)
}

func grows(fail int) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.FailBuilds("RegionOne", fail)
		return "desired_capacity = 5"
	}
}

func fails(number int) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.KeepPorts("RegionOne", true)
		e.c.Fake.FailBuilds("RegionOne", number)
		return "image = \"debian-13\""
	}
}

func heals(arguments ...string) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.FailBuilds("RegionOne", 0)
		return strings.Join(arguments, "\n")
	}
}

func taints(happens func(*fakecloud.Cloud)) func(example, string) string {
	return func(e example, _ string) string {
		happens(e.c.Fake)
		_, _ = e.Run(context.Background(), "taint", `module.web.openstack_compute_instance_v2.node["web-0"]`)
		return ""
	}
}

// untaints untaints the server, which serves no better for it, and makes room in its zone.
func untaints(e example, _ string) string {
	e.c.Fake.SellOut("RegionOne", "az-1", "m1.small", false)
	_, _ = e.Run(context.Background(), "untaint", `module.web.openstack_compute_instance_v2.node["web-0"]`)
	return ""
}

// deletes deletes the servers that the last apply told to delete. An hour passes.
func deletes(arguments string) func(example, string) string {
	return func(e example, said string) string {
		for _, s := range e.c.Fake.Servers("RegionOne") {
			if strings.Contains(said, s.ID) && (s.Status == "ERROR" || s.Metadata[openstack.MarkKey] == "") {
				e.c.Fake.RemoveServers("RegionOne", s.ID)
			}
		}
		e.c.Fake.Advance(time.Hour)
		return arguments
	}
}

func undeleted(e example, _ string) string {
	e.c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodDelete, PathRegexp: regexp.MustCompile("^/servers/[^/]+$"),
		Status: 500, Times: fakecloud.Forever})
	return "desired_capacity = 5"
}

func loses(times int, service, path, arguments string) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.Inject(fakecloud.Fault{Service: service, Method: http.MethodPost, Path: path, Status: 500, Acts: true, Times: times})
		return arguments
	}
}

func quota(instances int, arguments string) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, "instances", instances)
		return arguments
	}
}

func refuses(times int, arguments string) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers", Status: 403, Times: times})
		return arguments
	}
}

// sells sells out the zone of a growth, or makes room. An hour passes.
func sells(out bool) func(example, string) string {
	return func(e example, _ string) string {
		e.c.Fake.SellOut("RegionOne", "az-1", "m1.small", out)
		e.c.Fake.Advance(time.Hour)
		return "desired_capacity = 5"
	}
}

// alters changes all servers.
func alters(change func(*fakecloud.Server)) func(example, string) string {
	return func(e example, _ string) string {
		for _, s := range e.c.Fake.Servers("RegionOne") {
			e.c.Fake.UpdateServer("RegionOne", s.ID, change)
		}
		return ""
	}
}

// targets makes one of two new servers.
func targets(e example, _ string) string {
	_, _ = e.Run(context.Background(), "apply", "-auto-approve", `-target=module.web.openstack_compute_instance_v2.node["web-3"]`)
	return "desired_capacity = 5"
}

// forgets takes the server of a node out of the state, as a block removed does, and names the node in an argument.
func forgets(argument string) func(example, string) string {
	return func(e example, _ string) string {
		_, _ = e.Run(context.Background(), "state", "rm", `module.web.openstack_compute_instance_v2.node["web-0"]`)
		return "deletion = { " + argument + ` = ["web-0"] }`
	}
}

// deposes has a server made again, and the apply fail before it destroys the old one.
func deposes(e example, _ string) string {
	e.c.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, PathRegexp: regexp.MustCompile(openstack.MarkKey + "$"), Status: 403})
	_, _ = e.Run(context.Background(), "taint", `module.web.openstack_compute_instance_v2.node["web-0"]`)
	return ""
}

// orphans deletes the new one by hand.
func orphans(e example, _ string) string {
	newest := ""
	for _, s := range e.c.Fake.Servers("RegionOne") {
		if s.Name == "web-0" {
			newest = s.ID
		}
	}
	e.c.Fake.RemoveServers("RegionOne", newest)
	return "desired_capacity = 2\ndeletion = { candidates = [\"web-0\"] }"
}

// TestNumber: there are never more servers than the capacity and two batches, whatever fails, and once the cloud is well
// the cluster gets as it should be. Once an apply leaves it in step, and at
// the end, the next plan is empty.
func TestNumber(t *testing.T) {
	for i, c := range number {
		t.Run(c.what, func(t *testing.T) {
			runs.In(t, runs.Some(i < 3, runs.Sweep, runs.Night))
			t.Parallel()
			e := startOn(t, acctest.NewFake(t, fakecloud.Config{}), "clusters/first")
			give := func(arguments string) {
				module := c.module
				if module == "" {
					module = "cluster"
				}
				all := "regions = [{ name = \"RegionOne\", zones = [{ name = \"az-1\" }, { name = \"az-2\" }] }]\n" +
					"readiness = { url = var.health_url, timeout = \"2s\" }\n"
				for _, more := range []string{c.first, arguments} {
					for line := range strings.Lines(more) {
						name, _, _ := strings.Cut(line, " = ")
						for old := range strings.Lines(all) {
							if strings.HasPrefix(old, name+" = ") {
								all = strings.Replace(all, old, "", 1)
							}
						}
						all += strings.TrimSuffix(line, "\n") + "\n"
					}
				}
				e.with(t, module, strings.TrimSuffix(all, "\n"))
			}
			give("")
			require.NoError(t, e.Init(t.Context()))
			if !c.never {
				acctest.Apply(t, e.Workspace)
			}
			var counts, said []string
			last, settled := "", false
			for i := range 10 {
				if happens := c.then[i+1]; happens != nil {
					give(happens(e, last))
				}
				text, err := e.Apply(t.Context())
				if last = text + e.status(t); err != nil {
					last = err.Error()
				}
				count := fmt.Sprint(len(e.c.Fake.Servers("RegionOne")))
				if strings.Contains(c.first, "port") {
					count += fmt.Sprintf("/%d", len(e.c.Ports(t, "RegionOne")))
				}
				if err != nil {
					count += "!"
				}
				if err == nil && (i == 9 || c.status == "" && !settled && e.status(t) == "in step") {
					settled = true
					text, err := e.Run(t.Context(), "plan", "-input=false", "-no-color", "-detailed-exitcode")
					assert.NoError(t, err, "the next plan is not empty: %s", text)
				}
				counts = append(counts, count)
				said = append(said, fmt.Sprint(count, " ", e.status(t)))
				if err != nil {
					said = append(said, "    "+errorsOf(err))
				}
			}
			assert.Regexp(t, "^"+cmp.Or(c.status, "in step")+"$", e.status(t))
			assert.Contains(t, strings.Join(said, "\n"), c.ends)
			assert.Equal(t, c.counts, strings.Join(counts, " "), "%s", strings.Join(said, "\n"))
		})
	}
}

func (e example) status(t *testing.T) string {
	var status string
	_ = e.Output(t.Context(), "status", &status)
	return status
}

func errorsOf(err error) string {
	var list []string
	for l := range strings.SplitSeq(err.Error(), "\n") {
		if l = strings.TrimLeft(l, "│╷╵ "); strings.HasPrefix(l, "Error") || len(list) > 0 && len(list) < 12 && l != "" {
			list = append(list, l)
		}
	}
	return strings.Join(list, " ")
}
