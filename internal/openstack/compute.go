package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Microversions of Nova on which this package depends. The versions are 2.x; these are the x.
const (
	versionLocked          = 9  // a server reports whether it is locked
	versionHypervisorPages = 53 // hypervisors are listed in pages
	versionGroupPolicy     = 64 // server groups have one policy, with rules
	versionDownCells       = 69 // servers in a cell that is down are listed, in part; each supported release has it
)

// Compute is the Nova of one region. Each of its clients is made for one microversion and never changed.
type Compute struct {
	Region string
	client gophercloud.ServiceClient

	listed      shared[struct{}, func(id string) bool] // servers of the project
	hypervisors shared[struct{}, []Hypervisor]
	hostZones   shared[struct{}, map[string]string]

	groupTurn chan *GroupTurn // holds the GroupTurn while nobody has it
}

// Compute finds a region's Nova and its microversions, once.
func (c *Cloud) Compute(ctx context.Context, region string) (*Compute, error) {
	return c.compute.get(ctx, region, func(ctx context.Context) (*Compute, error) {
		client, err := c.client(ctx, region, openstack.NewComputeV2)
		if err != nil {
			return nil, err
		}
		newest, err := newestMicroversion(ctx, client)
		if err == nil && newest < versionDownCells {
			err = fmt.Errorf("it offers 2.%d, and 2.%d is needed", newest, versionDownCells)
		}
		if err != nil {
			return nil, fmt.Errorf("region %s: find the microversions of Nova: %w", region, err)
		}
		compute := &Compute{Region: region, client: *client, groupTurn: make(chan *GroupTurn, 1)}
		compute.groupTurn <- &GroupTurn{Inherited: map[string]bool{}}
		return compute, nil
	})
}

// versionRoot matches an endpoint up to its version. The rest is a project id, and Nova shows no versions
// below it.
var versionRoot = regexp.MustCompile(`^.*/v2(\.\d+)?/`)

func newestMicroversion(ctx context.Context, client *gophercloud.ServiceClient) (int, error) {
	root := versionRoot.FindString(client.Endpoint)
	if root == "" {
		return 0, fmt.Errorf("the endpoint %s has no version in it", text.Clean(client.Endpoint))
	}
	type document struct {
		ID      string `json:"id"`
		Version string `json:"version"` // newest microversion
	}
	found, err := get[document](ctx, client, root, "version")
	if err != nil {
		return 0, err
	}
	if found.ID == "" {
		return 0, missing("version")
	}
	var major, minor int
	if _, err := fmt.Sscanf(found.Version, "%d.%d", &major, &minor); err != nil || major != 2 {
		return 0, fmt.Errorf("%s offers version %q, which is not one of Nova's 2.x", root, found.Version)
	}
	return minor, nil
}

// At returns a client for the microversion 2.minor.
func (c *Compute) At(minor int) *gophercloud.ServiceClient {
	client := c.client
	client.Microversion = fmt.Sprintf("2.%d", minor)
	return &client
}

// Zone is an availability zone.
type Zone struct {
	Name      string
	Available bool // reports whether a service in the zone is up
}

// Zones lists the availability zones of a region, sorted by name. They are requested once.
func (c *Cloud) Zones(ctx context.Context, region string) ([]Zone, error) {
	return c.zones.get(ctx, region, func(ctx context.Context) ([]Zone, error) {
		compute, err := c.Compute(ctx, region)
		if err != nil {
			return nil, err
		}
		type zone struct {
			Name  Text `json:"zoneName"`
			State struct {
				Available bool `json:"available"`
			} `json:"zoneState"`
		}
		client := compute.At(1)
		list, err := get[[]zone](ctx, client, client.ServiceURL("os-availability-zone"), "availabilityZoneInfo")
		if err != nil {
			return nil, fmt.Errorf("region %s: list availability zones: %w", region, err)
		}
		zones := make([]Zone, len(list))
		for i, z := range list {
			zones[i] = Zone{Name: string(z.Name), Available: z.State.Available}
		}
		slices.SortFunc(zones, func(a, b Zone) int { return strings.Compare(a.Name, b.Name) })
		return zones, nil
	})
}

// ServerPages requests the detailed list of a project's servers, page by page. The function read decodes a
// page, calls item with the id of each server, and returns whether Nova announced more pages.
//
// The first request has no filter, sorting or limit, because only then does Nova (from 2.69 on) list the
// servers of a cell that is down, in part, instead of leaving them out silently. If the first page is full,
// Nova leaves them out anyway, so the later pages are filtered by the query more.
//
// The list starts again, after a call of restart, as [walk] says.
func (c *Compute) ServerPages(ctx context.Context, more url.Values, restart func(), read PageReader) error {
	return walk(ctx, c.At(versionDownCells), "servers/detail", more, restart, read)
}

// Page is a page of a list, not decoded.
type Page struct {
	Body []byte    // valid until the page is read
	At   time.Time // time of the answer, by the service's clock; zero if the service gave no time
}

// PageReader reads a page of a list.
type PageReader func(page Page, item itemFunc) (more bool, err error)

// itemFunc records the id of an item of a list. Its error ends the list.
type itemFunc = func(id Text) error

// whole requests an answer that is not decoded. It is used until it is closed.
func whole(ctx context.Context, client *gophercloud.ServiceClient, address string) (*wholeBody, http.Header, error) {
	opts := &gophercloud.RequestOpts{KeepResponseBody: true, OkCodes: []int{http.StatusOK}}
	resp, err := client.Get(ctx, address, nil, opts)
	if err != nil {
		return nil, nil, err
	}
	return resp.Body.(*wholeBody), resp.Header, nil // every body passes the transport
}

// get requests an address and decodes the value under a key of the answer, or all of it without a key. gophercloud
// would decode it three times, through values of any type, which takes ten times the memory.
func get[T any](ctx context.Context, client *gophercloud.ServiceClient, address, key string) (value T, err error) {
	answer, _, err := whole(ctx, client, address)
	if err != nil {
		return value, err
	}
	defer answer.Close()
	return extracted(decoded[T](answer.all, key))
}

// Part is a part of JSON text, and not a copy.
type Part []byte

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Part) UnmarshalJSON(data []byte) error {
	*p = data
	return nil
}

// decoded decodes the value under a key of an answer, or all of it without a key.
func decoded[T any](body []byte, key string) (value T, err error) {
	answer := map[string]Part{"": body}
	if key != "" {
		err = json.Unmarshal(body, &answer)
	}
	if found := answer[key]; err == nil && (len(found) == 0 || string(found) == "null") {
		err = missing(key)
	}
	if err == nil {
		err = json.Unmarshal(answer[key], &value)
	}
	return value, err
}

// items requests the list under a key of the answers, page by page. It passes each item to take, which returns the
// item's id.
func items[T any](
	ctx context.Context, client *gophercloud.ServiceClient, path, key string, restart func(), take func(T) (id Text),
) error {
	return walk(ctx, client, path, nil, restart, func(page Page, item itemFunc) (more bool, err error) {
		list, err := decoded[[]T](page.Body, key)
		if err != nil {
			return false, err
		}
		for _, value := range list {
			if err := item(take(value)); err != nil {
				return false, err
			}
		}
		links, err := decoded[[]gophercloud.Link](page.Body, key+"_links")
		if errors.Is(err, errMissing) {
			return false, nil // the last page
		}
		return slices.ContainsFunc(links, func(link gophercloud.Link) bool { return link.Rel == "next" }), err
	})
}

var errLostMarker = errors.New("the list goes on after an item that the service does not find: it was deleted " +
	"meanwhile, or cannot be looked up, as a server of a cell that is down")

// walk requests a list page by page, with the id of the last item as marker. It follows no link, because
// links may lead to another host, which must not get the token.
//
// If the last item of a page is deleted before the next page is requested, the service cannot continue. The list then
// starts again, up to two times. The function restart is called before each start.
func walk(
	ctx context.Context, client *gophercloud.ServiceClient, path string, filter url.Values, restart func(),
	read PageReader,
) (err error) {
	for range 3 {
		restart()
		if err = walkOnce(ctx, client, path, filter, read); !errors.Is(err, errLostMarker) {
			break
		}
	}
	return err
}

func walkOnce(
	ctx context.Context, client *gophercloud.ServiceClient, path string, filter url.Values, read PageReader,
) error {
	list := newList()
	for address := client.ServiceURL(path); ; {
		if err := list.page(); err != nil {
			return err
		}
		marker := list.last
		answer, header, err := whole(ctx, client, address)
		switch {
		case marker != "" && gophercloud.ResponseCodeIs(err, http.StatusBadRequest):
			return fmt.Errorf("%w (%s): %w", errLostMarker, text.Cut(string(marker), 100), err)
		case err != nil:
			return err
		}
		more, err := read(Page{answer.all, dateOf(header)}, list.item)
		answer.Close()
		switch {
		case err != nil:
			return clean(fmt.Errorf("GET %s: %w", address, err))
		case !more:
			return nil
		case list.last == marker:
			return fmt.Errorf("GET %s: more items are announced after %q, and none come",
				address, text.Cut(string(marker), 100))
		}
		query := url.Values{"marker": {string(list.last)}}
		maps.Copy(query, filter)
		address = client.ServiceURL(path) + "?" + query.Encode()
	}
}

// Hypervisor is a hypervisor and the compute service that it belongs to.
type Hypervisor struct {
	Hostname string // name of the hypervisor
	Host     string // name of the compute service: what Nova accepts in zone:host
	Up       bool
	Enabled  bool
}

// Hypervisors lists the hypervisors of the region, once. Nova shows them to admins only, and answers 403 to
// others.
func (c *Compute) Hypervisors(ctx context.Context) ([]Hypervisor, error) {
	return c.hypervisors.get(ctx, struct{}{}, func(ctx context.Context) ([]Hypervisor, error) {
		type hypervisor struct {
			ID       Text   `json:"id"`
			Hostname Text   `json:"hypervisor_hostname"`
			State    string `json:"state"`
			Status   string `json:"status"`
			Service  struct {
				Host Text `json:"host"`
			} `json:"service"`
		}
		var found []Hypervisor
		client, restart := c.At(versionHypervisorPages), func() { found = nil }
		err := items(ctx, client, "os-hypervisors/detail", "hypervisors", restart, func(h hypervisor) Text {
			found = append(found, Hypervisor{
				Hostname: string(h.Hostname),
				Host:     string(h.Service.Host),
				Up:       h.State == "up",
				Enabled:  h.Status == "enabled",
			})
			return h.ID
		})
		if err != nil {
			return nil, fmt.Errorf("region %s: list hypervisors: %w", c.Region, err)
		}
		return found, nil
	})
}

// HostZones returns the availability zone of each host that runs a compute service and is enabled, once. Nova
// shows them to admins only, and answers 403 to others.
func (c *Compute) HostZones(ctx context.Context) (map[string]string, error) {
	return c.hostZones.get(ctx, struct{}{}, func(ctx context.Context) (map[string]string, error) {
		type zone struct {
			Name  Text                         `json:"zoneName"`
			Hosts map[Text]map[string]struct{} `json:"hosts"` // services by host and binary
		}
		client := c.At(1)
		address := client.ServiceURL("os-availability-zone", "detail")
		list, err := get[[]zone](ctx, client, address, "availabilityZoneInfo")
		if err != nil {
			return nil, fmt.Errorf("region %s: list availability zones with their hosts: %w", c.Region, err)
		}
		zones := map[string]string{}
		for _, zone := range list {
			for host, services := range zone.Hosts {
				if _, runs := services["nova-compute"]; runs {
					zones[string(host)] = string(zone.Name)
				}
			}
		}
		return zones, nil
	})
}
