package placementtf_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// across returns a cluster of a size in regions, with more arguments.
func across(size int, regions string, more attributes) attributes {
	return with(attributes{"cluster": "web", "desired_capacity": size, "regions": protocol.Listing(regions)}, more)
}

// with merges arguments; later ones replace earlier ones.
func with(all ...attributes) attributes {
	config := attributes{}
	for _, more := range all {
		maps.Copy(config, more)
	}
	return config
}

// templated returns arguments for nodes of an image, which an update replaces by a method, all at once.
func templated(image, method string, causes ...any) attributes {
	return attributes{"template": attributes{"image": image},
		"update": attributes{"causes": causes, "max_batch_size": "100%", "method": method, "require_in_service": false}}
}

// leaving returns a block deletion that removes the oldest nodes first.
func leaving(candidates, protected string) attributes {
	list := func(names string) (all []any) {
		for name := range strings.FieldsSeq(names) {
			all = append(all, name)
		}
		return all
	}
	return attributes{"deletion": attributes{"criteria": "OLDEST_FIRST", "candidates": list(candidates), "protected": list(protected)}}
}

// stateful keeps the slots of removed nodes, except for released ones.
func stateful(released ...any) attributes {
	return attributes{"stateful": attributes{"on_removal": "RETAIN", "release": released}}
}

// down takes a zone of RegionOne from service.
func down(zone string) func(*testing.T, attached) {
	return func(_ *testing.T, a attached) { a.Fake.SetZoneAvailable("RegionOne", zone, false) }
}

// gone removes a zone from the list of RegionOne's Nova.
func gone(zone string) func(*testing.T, attached) {
	return func(_ *testing.T, a attached) { a.Fake.RemoveZone("RegionOne", zone) }
}

// hidden takes the endpoint of RegionTwo from the catalogue.
func hidden(_ *testing.T, a attached) {
	a.Fake.HideEndpoint(fakecloud.Compute, "RegionTwo", true)
}

// quota limits a resource in RegionOne; runs says whether each node there has a server.
func quota(resource string, limit int, runs bool) func(*testing.T, attached) {
	return func(t *testing.T, a attached) {
		t.Helper()
		if runs {
			a.boot(t, nil)
		}
		a.Fake.SetQuota("RegionOne", fakecloud.MemberProjectID, resource, limit)
	}
}

// becomes applies another configuration, after a refresh.
func becomes(config attributes) func(*testing.T, attached) {
	return func(t *testing.T, a attached) {
		t.Helper()
		a.Look(t)
		a.Must(t, config)
	}
}
