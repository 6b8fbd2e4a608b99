package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/utils/v2/openstack/clientconfig"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// endpoint is an entry of the catalogue.
type endpoint struct{ service, region, url, face string }

// catalogue lists the endpoints that came with the token: those with the configured interface, and all
// others, to which no request is sent.
func (c *Cloud) catalogue(client *gophercloud.ProviderClient) (asked, others []endpoint, err error) {
	result, ok := client.GetAuthResult().(interface {
		ExtractServiceCatalog() (*tokens.ServiceCatalog, error)
	})
	if !ok {
		return nil, nil, errors.New("the login brought no Keystone v3 catalogue: Keystone v2 is not supported")
	}
	catalog, err := result.ExtractServiceCatalog()
	if err != nil {
		return nil, nil, fmt.Errorf("the catalogue that came with the token: %w", err)
	}
	if len(catalog.Entries) == 0 {
		return nil, nil, errors.New("the token came without a catalogue: name the project to log in to " +
			"(tenant_name or tenant_id)")
	}
	face := clientconfig.GetEndpointType(c.config.EndpointType)
	for _, service := range catalog.Entries {
		for _, e := range service.Endpoints {
			found := endpoint{service.Type, text.Clean(cmp.Or(e.RegionID, e.Region)),
				gophercloud.NormalizeURL(e.URL), text.Clean(e.Interface)}
			if gophercloud.Availability(e.Interface) == face {
				asked = append(asked, found)
			} else {
				others = append(others, found)
			}
		}
	}
	return asked, others, nil
}

// NoEndpointError means that a region has no endpoint of a service for this user.
type NoEndpointError struct {
	service string
	Region  string
	Regions []string // regions that have such an endpoint
	face    string   // interface of an endpoint that the region does have
}

func (e *NoEndpointError) Error() string {
	where := "no region has one"
	switch {
	case e.face != "":
		where = fmt.Sprintf("it has one with the interface %s: set endpoint_type, or OS_INTERFACE", e.face)
	case slices.Contains(e.Regions, ""):
		where = "the catalogue names no regions: name none either, in the configuration and in OS_REGION_NAME"
	case len(e.Regions) > 0:
		where = "there is one in " + strings.Join(e.Regions, ", ")
	}
	return fmt.Sprintf("region %q has no %s endpoint in the catalogue of this user; %s", e.Region, e.service, where)
}

// locate finds an endpoint in the catalogue. It never returns the endpoint of another region.
func (c *Cloud) locate(s *session, opts gophercloud.EndpointOpts) (string, error) {
	types := opts.Types()
	for _, service := range types {
		// An address of endpoint_overrides is for the provider's own region, and must not be used for others.
		ours := opts.Region == c.settings.region || c.settings.region == ""
		if over := c.config.EndpointOverrides[service]; over != "" && ours {
			if strings.Contains(over, "://") {
				return gophercloud.NormalizeURL(over), nil
			}
			types = []string{over}
			break
		}
	}
	missing := &NoEndpointError{service: opts.Type, Region: opts.Region}
	for _, service := range types {
		for _, e := range s.endpoints {
			switch {
			case e.service != service:
			case e.region == opts.Region && strings.Contains(e.url, "@"):
				return "", fmt.Errorf("region %s: the %s endpoint in the catalogue has a user name or a password in "+
					"its address, and is not used: each message about a request would show it. Correct the "+
					"catalogue, or name the address in endpoint_overrides", e.region, e.service)
			case e.region == opts.Region:
				return e.url, nil
			default:
				missing.Regions = append(missing.Regions, e.region)
			}
		}
		for _, e := range s.others {
			if e.service == service && e.region == opts.Region {
				missing.face = e.face
			}
		}
	}
	slices.Sort(missing.Regions)
	missing.Regions = slices.Compact(missing.Regions)
	return "", missing
}

// Region returns the name of the provider's region: the configured one or, without one, the only
// one that has a compute endpoint.
func (c *Cloud) Region(ctx context.Context) (string, error) {
	if c.settings.region != "" {
		return c.settings.region, nil
	}
	s, err := c.session(ctx)
	if err != nil {
		return "", err
	}
	names := s.computeRegions()
	if len(names) == 1 {
		return names[0], nil
	}
	return "", fmt.Errorf("no region is configured, and the catalogue has %d with a compute endpoint (%s): "+
		"set region, or OS_REGION_NAME", len(names), strings.Join(names, ", "))
}

// ComputeRegions lists the regions that have a compute endpoint, sorted.
func (c *Cloud) ComputeRegions(ctx context.Context) ([]string, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return s.computeRegions(), nil
}

func (s *session) computeRegions() []string {
	names := map[string]bool{}
	for _, e := range s.endpoints {
		if e.service == "compute" {
			names[e.region] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// RegionState is what this user can do with a region.
type RegionState int

// The states of a region.
const (
	RegionUnknown   RegionState = iota // Keystone does not know the region
	RegionNoCompute                    // Keystone knows the region, but it has no compute endpoint
	RegionWithCompute
)

// RegionState looks a region up in the catalogue and, if it is not listed there, among all regions of
// Keystone, which are requested once. The result why says why Nova cannot be used in a region that is known.
func (c *Cloud) RegionState(ctx context.Context, region string) (state RegionState, why string, err error) {
	s, err := c.session(ctx)
	if err != nil {
		return RegionUnknown, "", err
	}
	_, unusable := c.locate(s, computeOpts(region))
	if unusable == nil {
		return RegionWithCompute, "", nil
	}
	known, err := c.Regions(ctx)
	if err == nil && slices.Contains(known, region) {
		return RegionNoCompute, text.Sentence(unusable), nil
	}
	return RegionUnknown, "", err
}

// Regions lists all regions that Keystone knows, sorted. If Keystone does not list them for this user,
// Regions lists the regions of the catalogue.
func (c *Cloud) Regions(ctx context.Context) ([]string, error) {
	return c.known.get(ctx, struct{}{}, func(ctx context.Context) ([]string, error) {
		s, err := c.session(ctx)
		if err != nil {
			return nil, err
		}
		names, err := s.regions(ctx)
		switch {
		case slices.ContainsFunc(unlisted, func(status int) bool { return gophercloud.ResponseCodeIs(err, status) }):
			for _, e := range s.endpoints {
				names = append(names, e.region)
			}
		case err != nil:
			return nil, fmt.Errorf("list regions: %w", err)
		}
		slices.Sort(names)
		return slices.Compact(names), nil
	})
}

// unlisted are the statuses with which a Keystone, or a proxy before it, refuses to list regions.
var unlisted = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusMethodNotAllowed, http.StatusNotImplemented}

// regions lists the ids of Keystone's regions, which it never shows in pages. Every Keystone has at least one.
func (s *session) regions(ctx context.Context) (ids []string, err error) {
	client, err := openstack.NewIdentityV3(s.client, gophercloud.EndpointOpts{})
	if err != nil {
		return nil, err
	}
	type region struct {
		ID Text `json:"id"`
	}
	list, err := get[[]region](ctx, client, client.ServiceURL("regions"), "regions")
	for _, r := range list {
		ids = append(ids, string(r.ID))
	}
	if err == nil && len(ids) == 0 {
		err = missing("regions")
	}
	return ids, err
}

func computeOpts(region string) gophercloud.EndpointOpts {
	opts := gophercloud.EndpointOpts{Region: region}
	opts.ApplyDefaults("compute")
	return opts
}
