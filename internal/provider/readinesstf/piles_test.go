package readinesstf_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
	"github.com/stretchr/testify/assert"
)

// TestAccPiles: the same fault met ten times makes no more servers than met once, and what is only slow gets in.
func TestAccPiles(t *testing.T) {
	for _, c := range []struct {
		what string
		then func(b *behind)
		most int // number of servers
	}{
		{"a bad image, then another bad one", func(b *behind) {
			b.write("bad1")
			_, _ = b.apply()
			b.write("bad2")
		}, 10},
		{"a growth whose creation answers are lost", func(b *behind) {
			b.size = 7
			b.write("a")
			b.Cloud.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/servers", Status: 500, Acts: true,
				Times: fakecloud.Forever})
		}, 6 + 3*2}, // two tries in each zone
		{"a bad image, then a slow one", func(b *behind) {
			b.write("bad1")
			_, _ = b.apply()
			b.write(slow)
		}, 6},
		{"a taint, while no zone has a host", func(b *behind) {
			b.run("taint", fmt.Sprintf("openstack_compute_instance_v2.web[%q]", b.Cloud.Prefix+"0"))
			soldOut(b)
		}, 10},
		{"a growth, while no zone has a host", func(b *behind) {
			b.size = 8
			b.write("a")
			soldOut(b)
		}, 10},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			b := &behind{}
			b.start(t, acctest.NewFake(t, fakecloud.Config{}), "a")
			c.then(b)
			var counts []int
			for range 10 {
				_, _ = b.apply()
				counts = append(counts, len(b.Cloud.AllServers(t)))
			}
			assert.LessOrEqual(t, counts[9], c.most, "servers after each apply: %v", counts)
			assert.Equal(t, counts[6], counts[9], "servers after each apply: %v", counts)
		})
	}
}

// soldOut leaves no host for further servers.
func soldOut(b *behind) {
	for _, zone := range b.zones {
		b.Cloud.Fake.SellOut("RegionOne", zone, "m1.small", true)
	}
}
