// Package fakecloud is an OpenStack in one process: Keystone, Nova, Glance, Neutron, Cinder and Octavia over
// HTTP, in the extent that this project and terraform-provider-openstack, which makes the servers, use. It is the one
// test double of the project and serves the demo.
//
// It answers as the services of the Zed release do (Keystone 22, Nova 26, Glance 25, Neutron 21, Cinder 21,
// Octavia 11), refusals included: status codes, bodies of errors, headers, microversions, and the limits of an
// ordinary user. A contract test compares it with a real cloud; if the two differ, this package is wrong.
//
// Everything is deterministic. Ids come from [Config.Seed], time from a clock that only moves when something happens
// (see [Config.Now]), and every request is recorded ([Cloud.Requests]). A [Fault] breaks chosen requests.
package fakecloud

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// The users who may log in. Users and projects are in the domain [DomainName].
const (
	AdminUser     = "admin"
	AdminProject  = "admin"
	MemberUser    = "member" // an ordinary user, and the owner of servers by default
	MemberProject = "member"
	Password      = "secret" // all users have it
	DomainID      = "default"
	DomainName    = "Default"

	AdminUserID     = "5f0c1e7a9b6d4c3e8a2f7b1d0c9e4a60"
	AdminProjectID  = "8d27a5c4e1f04b6b9c3d2e5f6a7b8c90"
	MemberUserID    = "c3b1f2d4a5e64978b0c1d2e3f4a5b6c7"
	MemberProjectID = "1e4d6c8b0a2f4e5d9c7b8a6f5e4d3c2b"
)

// The application credential of the member, for the member's project.
const (
	AppCredentialID     = "7a6b5c4d3e2f41309a8b7c6d5e4f3a2b"
	AppCredentialName   = "stackpolicy"
	AppCredentialSecret = "wpzNq8d3S0mHk5uT2rVx"
)

// Config is the shape of a cloud. The zero value is the shape of the real test cloud.
type Config struct {
	// Regions are the regions of the compute service. The default is RegionOne with az-1 (r1-cmp-1, r1-cmp-2), az-2
	// (r1-cmp-3) and az-3 (r1-cmp-4), and RegionTwo with az-1 (r2-cmp-1, r2-cmp-2) and az-2 (vsphere_drs_1).
	Regions []Region

	// Release is one of [Releases]; the default is [Zed].
	Release string

	// MaxMicroversion is Nova's newest microversion; the default is the release's. A newer one than 2.93 is announced
	// and accepted, but brings nothing new.
	MaxMicroversion string

	// PageLimit is the maximum number of items of a Nova list; the default is 1000, as Nova's max_limit.
	PageLimit int

	// Quotas are the quotas of every project in every region, by Nova's resource names; -1 is no limit. The default
	// is the same as in the real test cloud: no limit except for server_groups, server_group_members and key_pairs of
	// 1000 and metadata_items of 128.
	Quotas map[string]int

	// SameZoneAttach refuses a server the volumes of other zones, as Nova does with cross_az_attach = False.
	SameZoneAttach bool

	// ProjectInURL puts the project's id into the compute endpoints, as many clouds do.
	ProjectInURL bool

	// BuildTime is how long a server stays in BUILD, DeleteTime how long a deleted one can still be seen, PowerTime
	// how long a start, a stop, a rebuild or another action takes, all on the cloud's clock. By default the next look
	// at the server finds the work done.
	BuildTime, DeleteTime, PowerTime time.Duration

	// TokenTTL is the life of a token; the default is 24 hours.
	TokenTTL time.Duration

	// Now is the cloud's clock. The default clock starts at [Epoch]. It moves one second when anything is created or
	// launched again, so that no two things have the same age. It also moves one second with every look at a server
	// that is not in its final state yet, so that waiting ends. [Cloud.Advance] moves it too.
	Now func() time.Time

	// Seed is the seed of all ids: the same seed and the same requests give the same ids.
	Seed uint64
}

// Region is a region of the compute service.
type Region struct {
	Name  string
	Zones []Zone

	// VolumeZones are the zones of Cinder. Without them Cinder has Nova's zones, as in the real test cloud.
	VolumeZones []string

	// Hypervisors has the names of hypervisors that differ from the names of their hosts.
	Hypervisors map[string]string
}

// Zone is an availability zone: a name and its compute hosts.
type Zone struct {
	Name  string
	Hosts []string
}

// DefaultRegions is the shape of the real test cloud.
func DefaultRegions() []Region {
	return []Region{
		{Name: "RegionOne", Zones: []Zone{
			{"az-1", []string{"r1-cmp-1", "r1-cmp-2"}},
			{"az-2", []string{"r1-cmp-3"}},
			{"az-3", []string{"r1-cmp-4"}},
		}},
		{Name: "RegionTwo", Zones: []Zone{
			{"az-1", []string{"r2-cmp-1", "r2-cmp-2"}},
			{"az-2", []string{"vsphere_drs_1"}},
		}},
	}
}

// Cloud is a running cloud. It is an [http.Handler]; all its methods may be called at any time, from any goroutine.
type Cloud struct {
	config   Config
	release  Release
	maxMinor int // minor version of MaxMicroversion

	closed  chan struct{}  // ends requests that hang
	serving sync.WaitGroup // requests under way
	server  *http.Server
	url     string

	mu       sync.Mutex // guards everything below
	now      time.Time  // time of the default clock
	serial   map[string]uint64
	requests []*Request
	faults   []*Injected
	watchers []watcher
	tokens   map[string]*token
	known    []string           // regions that Keystone knows
	regions  map[string]*region // regions with a compute service
	hidden   map[[2]string]bool // endpoints left out of the catalogue: service, region
	nameless bool               // reports whether the catalogue names no regions
	images   []*Image           // newest first
	flavors  []*Flavor
	networks []*network
}

// New makes a cloud that is not served yet: the caller does that, or [Cloud.Listen]. An invalid Config panics.
func New(config Config) *Cloud {
	config.Regions = orDefault(config.Regions, DefaultRegions)
	release, ok := Releases[cmp.Or(config.Release, Zed)]
	if !ok {
		panic(fmt.Sprintf("fakecloud: no release %q", config.Release))
	}
	config.MaxMicroversion = cmp.Or(config.MaxMicroversion, release.Microversion)
	config.PageLimit = cmp.Or(config.PageLimit, 1000)
	config.TokenTTL = cmp.Or(config.TokenTTL, 24*time.Hour)
	major, minor, ok := parseMicroversion(config.MaxMicroversion)
	if !ok || major != 2 {
		panic(fmt.Sprintf("fakecloud: MaxMicroversion %q is not a version of Nova", config.MaxMicroversion))
	}
	c := &Cloud{
		config:   config,
		release:  release,
		maxMinor: minor,
		closed:   make(chan struct{}),
		now:      Epoch,
		serial:   map[string]uint64{},
		tokens:   map[string]*token{},
		regions:  map[string]*region{},
		hidden:   map[[2]string]bool{},
		flavors:  defaultFlavors(),
	}
	for resource := range config.Quotas {
		mustResource(resource)
	}
	for _, r := range config.Regions {
		c.known = append(c.known, r.Name)
		c.regions[r.Name] = newRegion(c, r)
	}
	for _, n := range networks {
		c.networks = append(c.networks, &n)
	}
	c.addImage(Image{Name: "cirros"})
	return c
}

func orDefault[T any](list []T, otherwise func() []T) []T {
	if list == nil {
		return otherwise()
	}
	return list
}

// Furnish adds the things that the configurations of the guides use: images, whose names it returns by their ids, and
// in the first region a pool of a load balancer.
func (c *Cloud) Furnish() (images map[string]string, pool string) {
	images = map[string]string{}
	for _, name := range []string{"debian-12", "debian-13"} {
		images[c.AddImage(Image{Name: name})] = name
	}
	return images, c.AddPool(c.config.Regions[0].Name)
}

// Start serves a new cloud on a port of 127.0.0.1 until the test ends.
func Start(t testing.TB, config Config) *Cloud {
	t.Helper()
	c := New(config)
	if err := c.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Listen serves the cloud on the address until Close.
func (c *Cloud) Listen(address string) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("serve the fake cloud: %w", err)
	}
	c.url = "http://" + listener.Addr().String()
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: time.Minute}
	go func() { _ = c.server.Serve(listener) }() // returns ErrServerClosed
	return nil
}

// Close ends all requests, also those that hang, and the server that Listen started.
func (c *Cloud) Close() {
	c.mu.Lock()
	if !c.over() {
		close(c.closed)
	}
	c.mu.Unlock()
	if c.server != nil {
		_ = c.server.Close()
	}
	c.serving.Wait()
}

// over reports whether the cloud is closed.
func (c *Cloud) over() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// enter counts a new request, unless the cloud is closed.
func (c *Cloud) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over() {
		return false
	}
	c.serving.Add(1)
	return true
}

// AuthURL is the auth_url of a client, once the cloud listens.
func (c *Cloud) AuthURL() string { return c.url + "/identity/v3" }

// Environment returns the variables with which a user logs in, in the first of the default regions.
func (c *Cloud) Environment(user string) []string {
	return []string{
		"OS_AUTH_URL=" + c.AuthURL(), "OS_USERNAME=" + user, "OS_PASSWORD=" + Password, "OS_PROJECT_NAME=" + user,
		"OS_REGION_NAME=" + DefaultRegions()[0].Name, "OS_CLOUD=",
	}
}

// CloudsYAML returns a clouds.yaml for the Keystone at an address. It has the name of each cloud with its user; all
// use the first of the default regions.
func CloudsYAML(authURL string, users map[string]string) []byte {
	b := []byte("clouds:\n")
	for _, name := range slices.Sorted(maps.Keys(users)) {
		b = fmt.Appendf(b, "  %s:\n    region_name: %s\n    auth: {auth_url: %s, username: %s, password: %s, "+
			"project_name: %[4]s, user_domain_name: %[6]s, project_domain_name: %[6]s}\n",
			name, DefaultRegions()[0].Name, authURL, users[name], Password, DomainName)
	}
	return b
}

// pause waits for d or until, unless the client goes away or the cloud is closed first; it reports whether it waited
// to the end. A negative d never ends.
func (c *Cloud) pause(ctx context.Context, d time.Duration, until <-chan struct{}) bool {
	var over <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return true
	case <-until:
		return true
	case <-ctx.Done():
	case <-c.closed:
	}
	return false
}
