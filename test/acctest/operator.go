package acctest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/availabilityzones"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/quotasets"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/services"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Changes of servers by people and other tools, outside Terraform.

// Server reads a server.
func (c *Cloud) Server(t testing.TB, region, id string) servers.Server {
	t.Helper()
	s, err := servers.Get(context.WithoutCancel(t.Context()), c.nova(t, region), id).Extract()
	require.NoError(t, err, "read the server %s", id)
	return *s
}

// Act makes Nova act on a server, and waits until the server has the status and no task. The body is the body of an
// action, such as `{"pause": null}`.
func (c *Cloud) Act(t testing.TB, region, id, body, status string) {
	t.Helper()
	act(t, c.nova(t, region), id, body)
	c.await(t, region, id, status, func(*servers.Server) bool { return true })
}

func act(t testing.TB, client *gophercloud.ServiceClient, id, body string) {
	t.Helper()
	url := client.ServiceURL("servers", id, "action")
	resp, err := client.Post(context.WithoutCancel(t.Context()), url, nil, nil, &gophercloud.RequestOpts{
		RawBody:          strings.NewReader(body),
		OkCodes:          []int{202, 204},
		MoreHeaders:      map[string]string{"Content-Type": "application/json"},
		KeepResponseBody: true,
	})
	require.NoError(t, err, "%s of the server %s", body, id)
	resp.Body.Close()
}

// await waits until a server has the status, no task, and the wanted property.
func (c *Cloud) await(t testing.TB, region, id, status string, is func(*servers.Server) bool) {
	t.Helper()
	var last servers.Server
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if last = c.Server(t, region, id); last.Status == status && last.TaskState == "" && is(&last) {
			return
		}
	}
	t.Fatalf("the server %s is %s (%s) in %s, and should be %s",
		id, last.Status, last.TaskState, last.AvailabilityZone, status)
}

// Rename gives a server another name.
func (c *Cloud) Rename(t testing.TB, region, id, name string) {
	t.Helper()
	if _, err := servers.Update(t.Context(), c.nova(t, region), id, servers.UpdateOpts{Name: name}).
		Extract(); err != nil {
		t.Fatalf("rename the server %s: %v", id, err)
	}
}

// Admin returns a client with the rights of an administrator. It skips the test if the user of the test has none; the
// fake cloud has an administrator too.
func (c *Cloud) Admin(t testing.TB, region string) *gophercloud.ServiceClient {
	t.Helper()
	api := c.API
	if c.Fake != nil {
		var err error
		if api, err = openstack.New(fakeLogin(c.Fake, fakecloud.AdminUser, region)); err != nil {
			t.Fatal(err)
		}
	}
	if !isAdmin(t, api, region) {
		t.Skip("needs an admin, and the user is none")
	}
	compute, err := api.Compute(context.WithoutCancel(t.Context()), region)
	require.NoError(t, err)
	return compute.At(60) // the last version that can force a live migration is 2.67
}

// hosts lists the compute hosts of a zone.
func hosts(t testing.TB, admin *gophercloud.ServiceClient, zone string) []string {
	t.Helper()
	for _, z := range listed(t, availabilityzones.ListDetail(admin), availabilityzones.ExtractAvailabilityZones) {
		if z.ZoneName == zone {
			return slices.Sorted(maps.Keys(z.Hosts))
		}
	}
	t.Fatalf("no host is in the zone %s", zone)
	return nil
}

// Disable disables the compute service of a host, until the function that it returns is called, or the test ends. It
// needs an administrator.
func (c *Cloud) Disable(t testing.TB, region, host string) (enable func()) {
	t.Helper()
	admin := c.Admin(t, region)
	opts := services.ListOpts{Binary: "nova-compute", Host: host}
	list := listed(t, services.List(admin, opts), services.ExtractServices)
	require.Len(t, list, 1, "the compute service of %s", host)
	set := func(status services.ServiceStatus) {
		ctx := context.WithoutCancel(t.Context())
		_, err := services.Update(ctx, admin, list[0].ID, services.UpdateOpts{Status: status}).Extract()
		assert.NoError(t, err, "set the compute service of %s to %s", host, status)
	}
	set(services.ServiceDisabled)
	enable = sync.OnceFunc(func() { set(services.ServiceEnabled) })
	t.Cleanup(enable)
	return enable
}

// Host returns a compute host of a zone. It needs an administrator.
func (c *Cloud) Host(t testing.TB, region, zone string) string {
	t.Helper()
	return hosts(t, c.Admin(t, region), zone)[0]
}

// Migrate moves a running server to a host of another zone. It needs an administrator.
func (c *Cloud) Migrate(t testing.TB, region, id, zone string) {
	t.Helper()
	admin := c.Admin(t, region)
	act(t, admin, id, fmt.Sprintf(`{"os-migrateLive": {"host": %q, "block_migration": "auto", "force": true}}`,
		hosts(t, admin, zone)[0]))
	c.await(t, region, id, "ACTIVE", func(s *servers.Server) bool { return s.AvailabilityZone == zone })
}

// Reset sets the state of a server to error. It needs an administrator.
func (c *Cloud) Reset(t testing.TB, region, id string) {
	t.Helper()
	err := servers.ResetState(t.Context(), c.Admin(t, region), id, servers.StateError).ExtractErr()
	require.NoError(t, err, "put the server %s into ERROR", id)
}

// images lists images of Glance.
func (c *Cloud) images(t testing.TB, opts images.ListOpts) []images.Image {
	t.Helper()
	return listed(t, images.List(c.glance(t), opts), images.ExtractImages)
}

// flavors lists the flavors of the first region, the smallest first, without those that tests made.
func (c *Cloud) flavors(t testing.TB) []flavors.Flavor {
	t.Helper()
	all := listed(t, flavors.ListDetail(c.nova(t, c.Regions(t)[0]), nil), flavors.ExtractFlavors)
	all = slices.DeleteFunc(all, func(f flavors.Flavor) bool { return prefixPattern.MatchString(f.Name) })
	slices.SortFunc(all, func(a, b flavors.Flavor) int {
		return cmp.Or(cmp.Compare(a.RAM, b.RAM), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// TwoImages returns the ids and names of two images.
func (c *Cloud) TwoImages(t testing.TB) [2][2]string {
	t.Helper()
	if c.Fake != nil {
		c.Fake.AddImage(fakecloud.Image{Name: "debian-13"})
	}
	active := c.images(t, images.ListOpts{Status: images.ImageStatusActive})
	return two(t, active, func(i images.Image) [2]string { return [2]string{i.ID, i.Name} })
}

// two returns the ids and names of the first two things of a kind.
func two[T any](t testing.TB, all []T, of func(T) [2]string) [2][2]string {
	t.Helper()
	if len(all) < 2 {
		t.Skipf("needs two of %T, and the cloud has %d", *new(T), len(all))
	}
	return [2][2]string{of(all[0]), of(all[1])}
}

// Named returns the id of an image, or skips the test.
func (c *Cloud) Named(t testing.TB, image string) string {
	t.Helper()
	list := c.images(t, images.ListOpts{Name: image})
	if len(list) == 0 {
		t.Skipf("needs an image %s, and the cloud has none", image)
	}
	return list[0].ID
}

// TwoFlavors returns the ids and names of the two smallest flavors.
func (c *Cloud) TwoFlavors(t testing.TB) [2][2]string {
	t.Helper()
	return two(t, c.flavors(t), func(f flavors.Flavor) [2]string { return [2]string{f.ID, f.Name} })
}

// SoldOut returns the id of a flavor for which no host of a region has room, until the test ends. On a real cloud it
// needs an administrator.
func (c *Cloud) SoldOut(t testing.TB, region string, zones ...string) string {
	t.Helper()
	if c.Fake != nil {
		const flavor = "m1.small"
		for _, zone := range zones {
			c.Fake.SellOut(region, zone, flavor, true)
		}
		return flavor
	}
	admin, disk := c.Admin(t, region), 1<<20 // GiB: no quota counts them
	huge := flavors.CreateOpts{Name: c.Prefix + "huge", VCPUs: 1, RAM: 64, Disk: &disk}
	made, err := flavors.Create(t.Context(), admin, huge).Extract()
	require.NoError(t, err, "create a flavor")
	t.Cleanup(func() {
		err := flavors.Delete(context.WithoutCancel(t.Context()), admin, made.ID).ExtractErr()
		assert.NoError(t, err, "delete the flavor")
	})
	return made.ID
}

// Network returns the id and the name of a network for servers.
func (c *Cloud) Network(t testing.TB, region string) (id, name string) {
	t.Helper()
	opts := networks.ListOpts{Status: "ACTIVE"}
	list := listed(t, networks.List(c.neutron(t, region), opts), networks.ExtractNetworks)
	if len(list) == 0 {
		t.Skip("needs a network, and the cloud has none")
	}
	return list[0].ID, list[0].Name
}

// Room sets the quota of the test's project to a number of further servers in a region, until raise is called or the
// test ends. No other test may make servers meanwhile.
func (c *Cloud) Room(t testing.TB, region string, more int) (raise func()) {
	t.Helper()
	return c.quota(t, region, func(now quotasets.QuotaDetailSet) (limits, before quotasets.UpdateOpts) {
		limit := now.Instances.InUse + more
		return quotasets.UpdateOpts{Instances: &limit}, quotasets.UpdateOpts{Instances: &now.Instances.Limit}
	})
}

// RoomOfCores is Room for a number of cores.
func (c *Cloud) RoomOfCores(t testing.TB, region string, more int) (raise func()) {
	t.Helper()
	return c.quota(t, region, func(now quotasets.QuotaDetailSet) (limits, before quotasets.UpdateOpts) {
		limit := now.Cores.InUse + more
		return quotasets.UpdateOpts{Cores: &limit}, quotasets.UpdateOpts{Cores: &now.Cores.Limit}
	})
}

// quota sets limits of the test's project.
func (c *Cloud) quota(
	t testing.TB, region string, limits func(quotasets.QuotaDetailSet) (limits, before quotasets.UpdateOpts),
) (raise func()) {
	t.Helper()
	admin := c.Admin(t, region)
	own, ok := c.nova(t, region).GetAuthResult().(tokens.CreateResult)
	if !ok {
		t.Fatal("the login does not say what the project is")
	}
	project, err := own.ExtractProject()
	require.NoError(t, err)
	now, err := quotasets.GetDetail(t.Context(), admin, project.ID).Extract()
	require.NoError(t, err, "read the quotas")
	wanted, before := limits(now)
	require.NoError(t, quotasets.Update(t.Context(), admin, project.ID, wanted).Err, "set the quota")
	raise = sync.OnceFunc(func() {
		err := quotasets.Update(context.WithoutCancel(t.Context()), admin, project.ID, before).Err
		assert.NoError(t, err, "set the quota back")
	})
	t.Cleanup(raise)
	return raise
}

// Fault is a fault of the Nova of a region.
type Fault struct {
	begin, end string // arguments of the script
	effect     fakecloud.Effect
}

var (
	// Stopped refuses connections; the fake cloud resets them.
	Stopped = Fault{"stop", "start", fakecloud.Reset}
	// Hanging accepts connections, and does not answer.
	Hanging = Fault{"hang", "resume", fakecloud.Hang}
)

// Break breaks a region's Nova until the test restores it, or ends. On a real cloud the script in STACKPOLICY_FAULT
// does that; without a script the test is skipped.
func (c *Cloud) Break(t testing.TB, f Fault, region string) (restore func()) {
	t.Helper()
	if c.Fake != nil {
		fault := fakecloud.Fault{Service: fakecloud.Compute, Region: region, Effect: f.effect, Times: fakecloud.Forever}
		restore = c.Fake.Inject(fault).Remove
		t.Cleanup(restore)
		return restore
	}
	script := os.Getenv("STACKPOLICY_FAULT")
	if script == "" {
		t.Skip("needs STACKPOLICY_FAULT, the script that breaks the cloud's services")
	}
	run := func(what string) {
		if output, err := exec.CommandContext(context.WithoutCancel(t.Context()), script, what, region).
			CombinedOutput(); err != nil {
			t.Errorf("%s %s %s: %v\n%s", script, what, region, err, output)
		}
	}
	run(f.begin)
	restore = sync.OnceFunc(func() { run(f.end) })
	t.Cleanup(restore)
	return restore
}
