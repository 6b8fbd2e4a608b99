package fakecloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/availabilityzones"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/hypervisors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/limits"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/regions"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/messages"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/queues"
	"github.com/gophercloud/gophercloud/v2/openstack/utils"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
)

// must returns the value for a test, unless there was an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// useCloudsYAML lets clients of this test find the clouds.yaml of the cloud.
func useCloudsYAML(t *testing.T, c *Cloud) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, c.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", file)
}

// provider logs in with the clouds.yaml of the cloud.
func provider(t *testing.T, c *Cloud, name string) *gophercloud.ProviderClient {
	t.Helper()
	useCloudsYAML(t, c)
	auth := must(clientconfig.AuthOptions(&clientconfig.ClientOpts{Cloud: name}))(t)
	auth.AllowReauth = true
	return must(openstack.AuthenticatedClient(t.Context(), *auth))(t)
}

// nova is a client for the compute service of a region.
func nova(t *testing.T, p *gophercloud.ProviderClient, region, microversion string) *gophercloud.ServiceClient {
	t.Helper()
	client := must(openstack.NewComputeV2(p, gophercloud.EndpointOpts{Region: region}))(t)
	client.Microversion = microversion
	return client
}

func all[T any](t *testing.T, pager pagination.Pager, extract func(pagination.Page) ([]T, error)) []T {
	t.Helper()
	return must(extract(must(pager.AllPages(t.Context()))(t)))(t)
}

func TestGophercloudLogsIn(t *testing.T) {
	c := Start(t, Config{})
	useCloudsYAML(t, c)
	for _, name := range []string{"stackpolicy-admin", "stackpolicy-member"} {
		p := must(clientconfig.AuthenticatedClient(t.Context(), &clientconfig.ClientOpts{Cloud: name}))(t)
		project := must(p.GetAuthResult().(tokens.CreateResult).ExtractProject())(t)
		if "stackpolicy-"+project.Name != name {
			t.Errorf("%s is in %s", name, project.Name)
		}
		client := must(clientconfig.NewServiceClient(t.Context(), "compute", &clientconfig.ClientOpts{Cloud: name}))(t)
		if want := c.url + "/compute/RegionOne/v2.1/"; client.Endpoint != want {
			t.Errorf("the endpoint is %s, want %s", client.Endpoint, want)
		}
	}
	for name, auth := range map[string]gophercloud.AuthOptions{
		"password":                 {UserID: MemberUserID, Password: Password, TenantID: MemberProjectID},
		"application credential":   {ApplicationCredentialID: AppCredentialID, ApplicationCredentialSecret: AppCredentialSecret},
		"name of such":             {ApplicationCredentialName: AppCredentialName, ApplicationCredentialSecret: AppCredentialSecret, Username: MemberUser, DomainName: DomainName},
		"root of the service":      {Username: MemberUser, Password: Password, DomainID: DomainID, TenantName: MemberProject, IdentityEndpoint: c.url + "/identity"},
		"administrator of it all":  {Username: AdminUser, Password: Password, DomainID: DomainID, Scope: &gophercloud.AuthScope{System: true}},
		"project of another token": {TokenID: login(t, c, "member").token, TenantID: MemberProjectID},
	} {
		if auth.IdentityEndpoint == "" {
			auth.IdentityEndpoint = c.AuthURL()
		}
		p, err := openstack.AuthenticatedClient(t.Context(), auth)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all(t, servers.List(nova(t, p, "RegionTwo", "2.79"), nil), servers.ExtractServers)
	}
	_, err := openstack.AuthenticatedClient(t.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: c.AuthURL(), Username: MemberUser, Password: "wrong", DomainID: DomainID,
	})
	if !gophercloud.ResponseCodeIs(err, 401) {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestGophercloudComesBack(t *testing.T) {
	c := Start(t, Config{})
	client := nova(t, provider(t, c, "stackpolicy-member"), "RegionOne", "2.79")
	c.ExpireTokens()
	c.ResetRequests()
	all(t, servers.List(client, nil), servers.ExtractServers)
	if got := fmt.Sprint(c.Count("GET compute /servers/detail"), c.Count("POST identity /auth/tokens")); got != "2 1" {
		t.Errorf("asked and logged in %s times", got)
	}
}

func TestGophercloudServers(t *testing.T) {
	c := Start(t, Config{PageLimit: 3, ProjectInURL: true})
	p := provider(t, c, "stackpolicy-member")
	client := nova(t, p, "RegionTwo", "2.79")
	versions := must(utils.GetSupportedMicroversions(t.Context(), nova(t, p, "RegionOne", "")))(t)
	if versions.MinMinor != 1 || versions.MaxMinor != 93 {
		t.Errorf("microversions are %+v", versions)
	}
	group := must(servergroups.Create(t.Context(), client, servergroups.CreateOpts{
		Name: "g", Policy: "anti-affinity", Rules: &servergroups.Rules{MaxServerPerHost: 2},
	}).Extract())(t)
	for i := range 7 {
		made := must(servers.Create(t.Context(), client, servers.CreateOpts{
			Name: fmt.Sprintf("node-%d", i), ImageRef: c.images[0].ID, FlavorRef: "m1.tiny", Networks: "none",
			AvailabilityZone: "az-1", Tags: []string{"cluster=c"}, Metadata: map[string]string{"i": fmt.Sprint(i)},
		}, servers.SchedulerHintOpts{Group: group.ID}).Extract())(t)
		status := "ACTIVE"
		if i >= 4 { // there are two hosts, for two each
			status = "ERROR"
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := servers.WaitForStatus(ctx, client, made.ID, status); err != nil {
			t.Errorf("node-%d: %v", i, err)
		}
		cancel()
	}
	list := all(t, servers.List(client, servers.ListOpts{Name: "^node-", Tags: "cluster=c"}), servers.ExtractServers)
	var got []string
	for _, s := range list {
		got = append(got, s.Name+" "+s.Status+" "+s.AvailabilityZone)
	}
	want := "[node-6 ERROR az-1 node-5 ERROR az-1 node-4 ERROR az-1 node-3 ACTIVE az-1 node-2 ACTIVE az-1 node-1 ACTIVE az-1 node-0 ACTIVE az-1]"
	if fmt.Sprint(got) != want {
		t.Errorf("servers are %v", got)
	}
	if n := c.Count("GET compute /servers/detail"); n != 3 { // of 3, 3 and 1
		t.Errorf("%d pages", n)
	}
	group = must(servergroups.Get(t.Context(), client, group.ID).Extract())(t)
	if *group.Policy != "anti-affinity" || group.Rules.MaxServerPerHost != 2 || len(group.Members) != 7 {
		t.Errorf("the group is %+v", group)
	}
	usage := must(limits.Get(t.Context(), client, nil).Extract())(t).Absolute
	if usage.TotalInstancesUsed != 7 || usage.TotalServerGroupsUsed != 1 || usage.MaxServerGroups != 1000 {
		t.Errorf("limits are %+v", usage)
	}
	for _, s := range list {
		if err := servers.Delete(t.Context(), client, s.ID).ExtractErr(); err != nil {
			t.Error(err)
		}
	}
	if len(c.Servers("RegionTwo")) != 0 {
		t.Error("servers are left")
	}
}

func TestGophercloudServerGroups(t *testing.T) {
	c := Start(t, Config{})
	p := provider(t, c, "stackpolicy-member")
	old, current := nova(t, p, "RegionOne", "2.15"), nova(t, p, "RegionOne", "2.64")
	made := must(servergroups.Create(t.Context(), old, servergroups.CreateOpts{Name: "a", Policies: []string{"soft-affinity"}}).Extract())(t)
	if fmt.Sprint(made.Policies) != "[soft-affinity]" || made.Policy != nil {
		t.Errorf("at 2.15: %+v", made)
	}
	if g := must(servergroups.Get(t.Context(), current, made.ID).Extract())(t); g.Policies != nil || *g.Policy != "soft-affinity" {
		t.Errorf("at 2.64: %+v", g)
	}
	_, err := servergroups.Create(t.Context(), current, servergroups.CreateOpts{Name: "b", Policies: []string{"affinity"}}).Extract()
	if !gophercloud.ResponseCodeIs(err, 400) {
		t.Errorf("the old form at 2.64: %v", err)
	}
	if list := all(t, servergroups.List(old, nil), servergroups.ExtractServerGroups); len(list) != 1 {
		t.Errorf("groups are %v", list)
	}
	if err := servergroups.Delete(t.Context(), current, made.ID).ExtractErr(); err != nil {
		t.Error(err)
	}
}

func TestGophercloudPlaces(t *testing.T) {
	c := Start(t, Config{})
	c.AddRegion("RegionThree")
	c.SetZoneAvailable("RegionOne", "az-2", false)
	p, admin := provider(t, c, "stackpolicy-member"), provider(t, c, "stackpolicy-admin")
	var got []string
	for _, z := range all(t, availabilityzones.List(nova(t, p, "RegionOne", "")), availabilityzones.ExtractAvailabilityZones) {
		got = append(got, fmt.Sprint(z.ZoneName, z.ZoneState.Available))
	}
	identity := must(openstack.NewIdentityV3(p, gophercloud.EndpointOpts{}))(t)
	for _, r := range all(t, regions.List(identity, nil), regions.ExtractRegions) {
		got = append(got, r.ID)
	}
	for _, h := range all(t, hypervisors.List(nova(t, admin, "RegionTwo", "2.79"), nil), hypervisors.ExtractHypervisors) {
		got = append(got, h.HypervisorHostname)
	}
	want := "az-1true az-3true az-2false RegionOne RegionThree RegionTwo r2-cmp-1 r2-cmp-2 vsphere_drs_1"
	if strings.Join(got, " ") != want {
		t.Errorf("places are %v", got)
	}
	_, err := hypervisors.List(nova(t, p, "RegionTwo", "2.79"), nil).AllPages(t.Context())
	if !gophercloud.ResponseCodeIs(err, 403) {
		t.Errorf("hypervisors for a member: %v", err)
	}
	var missing *gophercloud.ErrEndpointNotFound
	if _, err := openstack.NewComputeV2(p, gophercloud.EndpointOpts{Region: "RegionThree"}); !errors.As(err, &missing) {
		t.Errorf("a region without Nova: %v", err)
	}
}

func TestGophercloudImagesAndMessages(t *testing.T) {
	c := Start(t, Config{})
	p := provider(t, c, "stackpolicy-member")
	glance := must(openstack.NewImageV2(p, gophercloud.EndpointOpts{Region: "RegionOne"}))(t)
	image := all(t, images.List(glance, images.ListOpts{Name: "cirros"}), images.ExtractImages)[0]
	if shown := must(images.Get(t.Context(), glance, image.ID).Extract())(t); shown.CreatedAt.IsZero() {
		t.Errorf("the image is %+v", shown)
	}
	zaqar := must(openstack.NewMessagingV2(p, "3381af92-2b9e-11e3-b191-71861300734c", gophercloud.EndpointOpts{Region: "RegionOne"}))(t)
	if err := queues.Create(t.Context(), zaqar, queues.CreateOpts{QueueName: "q", DefaultMessageTTL: 600}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	messages.Create(t.Context(), zaqar, "q", messages.BatchCreateOpts{{Body: map[string]any{"event": "x"}}, {TTL: 60, Body: map[string]any{"event": "y"}}})
	list := all(t, messages.List(zaqar, "q", messages.ListOpts{Echo: true}), messages.ExtractMessages)
	if len(list) != 2 || list[1].Body["event"] != "y" || list[0].TTL != 600 {
		t.Fatalf("messages are %+v", list)
	}
	if err := messages.Delete(t.Context(), zaqar, "q", list[0].ID, nil).ExtractErr(); err != nil {
		t.Error(err)
	}
	if err := queues.Delete(t.Context(), zaqar, "q").ExtractErr(); err != nil {
		t.Error(err)
	}
}
