package placementtf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stretchr/testify/assert"
)

// TestPlacementInvalid: a fault is reported while planning, with what to do about it.
func TestPlacementInvalid(t *testing.T) {
	t.Parallel()
	update := func(more attributes) attributes {
		return attributes{"update": with(attributes{"causes": []any{"TEMPLATE"}, "max_batch_size": "1"}, more)}
	}
	removing := func(more attributes) attributes { return attributes{"deletion": more} }
	watching := func(more attributes) attributes { return attributes{"health": more} }
	zone := func(more attributes) attributes {
		return attributes{"regions": protocol.Zones([]any{with(attributes{"name": "az-1"}, more)})}
	}
	a := begin(t)
	for _, bad := range []struct {
		more attributes
		want string
	}{
		{attributes{"min_size": 6, "desired_capacity": 5}, "The desired_capacity (5) is less than the min_size (6)."},
		{attributes{"max_size": 4, "desired_capacity": 5}, "The desired_capacity (5) is greater than the max_size (4)."},
		{attributes{"min_size": 6, "max_size": 4}, "The min_size (6) is greater than the max_size (4)."},
		{attributes{"min_size": 5, "max_size": 5, "desired_capacity": 5}, ""},
		{attributes{"min_size": 0, "max_size": -1}, ""},
		{attributes{"desired_capacity": -1}, "Attribute desired_capacity value must be at least 0"},
		{attributes{"desired_capacity": 100001}, "must be at most 100000"},
		{attributes{"desired_capacity": 2.5}, "desired_capacity: a whole number is needed, not 2.5: use floor() or ceil()."},
		{attributes{"min_size": 1e30}, "min_size: a whole number of a usual size is needed, not 1e+30"},
		{zone(attributes{"weight": 1e30, "cap": 0.5}), "needed, not 0.5"},
		{watching(attributes{"tcp": attributes{"port": 0.5}}), "port: a whole number is needed, not 0.5"},
		{attributes{"regions": []any{}}, "Nothing says where nodes may go. Give regions, with zones where you choose these."},
		{attributes{"regions": []any{attributes{}, attributes{"name": "RegionOne"}}}, "Only the one region of a list may be without a name"},
		{attributes{"regions": protocol.Zones(protocol.Listing("az-1 az-1"))}, `"az-1" is at the indices 0 and 1.`},
		{attributes{"regions": protocol.Listing("RegionOne:az-1,az-1")}, `"az-1" is at the indices 0 and 1.`},
		{zone(attributes{"weight": 0}), "regions[0].zones[0].weight is 0, and must be between 1 and"},
		{zone(attributes{"cap": 1, "min": 2}), "(2) is larger than its cap (1)."},
		{attributes{"regions": protocol.Zones(protocol.Listing("az-1", 2)), "desired_capacity": 3}, "3 nodes must be added, but there is room for 2"},
		{attributes{"regions": protocol.Zones(protocol.Listing("cloud-nine"))}, `does not list the availability zone "cloud-nine".`},
		{attributes{"regions": protocol.Listing("Atlantis")}, `Keystone does not know the region "Atlantis".`},
		{attributes{"cluster": "a/b"}, `"a/b" has a slash in it, which ends the name of the cluster in an import id.`},
		{attributes{"cluster": "my web"}, ""},
		{attributes{"regions": []any{attributes{"name": ""}}}, "regions[0].name is empty. Leave it out."},
		{attributes{"node_name_pattern": "{cluster}"}, `"{cluster}" would give all nodes one name: it needs {index} in it.`},
		{attributes{"node_name_pattern": "{cluster}-{index}-{number}"}, "has other braces than {cluster} and {index}, which may be {index:03}"},
		{attributes{"node_name_pattern": " {cluster}{index}"}, "Nova refuses names with blanks at an end."},
		{attributes{"node_name_pattern": strings.Repeat("x", 250) + "{index}"}, "Nova takes at most 255."},
		{attributes{"selector": attributes{"name_regex": "web-("}}, "missing closing ): `web-(`"},
		{attributes{"template": attributes{}}, ""},
		{attributes{"user_data": "a", "template": attributes{"user_data": nil, "volumes": nil}}, ""},
		{removing(attributes{"criteria": "NEWEST_FIRST"}), "Attribute deletion.criteria value must be one of"},
		{removing(attributes{"candidates": []any{nil}}), "Null List Value"},
		{removing(attributes{"candidates": []any{"a", "a"}}), "duplicate values"},
		{with(stateful(), removing(attributes{"kept": []any{"web-1"}})), "A slot is used again under its name, but the kept server has that name."},
		{removing(attributes{"protected": []any{""}}), "string length must be at least 1"},
		{watching(attributes{"http": attributes{"status": "200"}}), "health.http.url: A missing argument\nA missing argument: The"},
		{watching(attributes{}), "health.http: Invalid health check\nInvalid health check: The block health needs one of http, tcp and octavia, and has 0"},
		{watching(attributes{"http": attributes{"url": "ftp://x"}}), "An address begins with http:// or https://"},
		{watching(attributes{"http": attributes{"url": "http://{address}/", "status": "ok"}}), "is neither a status between 100 and 599"},
		{watching(attributes{"http": attributes{"url": "http://{address}/"}, "tcp": attributes{"port": 80}}), "and has 2 of them."},
		{update(attributes{"max_batch_size": nil}), "update.max_batch_size: A missing argument"},
		{update(attributes{"causes": nil}), "update.causes: A missing argument"},
		{update(attributes{"causes": []any{"OLD"}}), "value must be one of"},
		{update(attributes{"max_batch_size": "a few"}), `"a few" is neither a whole number of nodes`},
		{update(attributes{"max_batch_size": "120%"}), "120% is more than all nodes"},
		{update(attributes{"max_batch_size": "0"}), "A batch of 0 replaces nothing"},
		{update(attributes{"max_batch_size": "0%"}), "A batch of 0% replaces nothing"},
		{update(attributes{"max_batch_size": "2.5"}), `"2.5" is neither a whole number of nodes`},
		{update(attributes{"causes": []any{"AGE"}}), "The cause AGE needs max_age"},
		{update(attributes{"causes": []any{"FLAVOR"}}), "Give flavors."},
		{with(update(attributes{"causes": []any{"FLAVOR"}}), attributes{"flavors": []any{"m1.small", "m1.tiny"}}), ""},
		{attributes{"flavors": []any{}}, "at least 1 elements"},
		{attributes{"flavors": []any{"a", "a"}}, "duplicate values"},
		{zone(attributes{"flavors": []any{nil}}), "regions[0].zones[0].flavors: element 0: a text is needed, and it is null."},
		{with(update(attributes{"causes": []any{"IMAGE"}}), attributes{"image": "a"}), "Add TEMPLATE."},
		{attributes{"image": ""}, "length must be at least 1"},
		{attributes{"image": "a", "template": attributes{"image_id": "b"}}, "The argument image fills in the image_id of a template."},
		{attributes{"user_data": "a", "template": attributes{"user_data": "1"}}, "The argument user_data fills in the user_data of a template."},
		{attributes{"template": attributes{"volumes": `["data"]`}}, "The argument disks fills in the volumes of a template."},
		{attributes{"regions": []any{attributes{"name": "RegionOne", "user_data": "a"}}}, `regions[0] has "user_data", and a region has no such key.`},
		{attributes{"user_data": strings.Repeat("a ", 24_575)}, "It has 49150 bytes, 65536 in Base64, and Nova takes 65535 of these"},
		{attributes{"user_data": strings.Repeat("abcd", 16_384)}, "It has 65536 bytes, 65536 in Base64"},
		{attributes{"user_data": strings.Repeat("abcd", 16_383)}, ""},
		{update(attributes{"causes": []any{"AGE"}, "max_age": "10m"}), "A duration from 1h to 3650d is needed"},
		{update(attributes{"pause": "soon"}), "A duration from 0s to 30d is needed"},
		{with(update(nil), stateful()), "No substitutes in a stateful cluster"},
		{with(update(attributes{"method": "SUBSTITUTE"}), stateful()), "No substitutes in a stateful cluster"},
		{with(update(attributes{"method": "RECREATE", "causes": []any{"PLACEMENT"}}), stateful()), "No moves in a stateful cluster"},
		{stateful(""), "string length must be at least 1"},
		{attributes{"stateful": attributes{}}, "stateful.on_removal: A missing argument"},
		{attributes{"stateful": attributes{"on_removal": "KEEP"}}, `value must be one of: ["RETAIN" "DELETE"]`},
	} {
		a.Later(t)
		config := with(zonal(1, "az-1", nil), bad.more)
		err := a.Validate(t.Context(), a.I.Kind, config)
		if err == nil {
			_, err = a.Plan(t.Context(), a.Request(a.I, config))
		}
		if bad.want == "" {
			assert.NoError(t, err, "%v", bad.more)
			continue
		}
		assert.Contains(t, fmt.Sprintf("%s\n%v", a.At(), err), bad.want, "%v", bad.more)
	}
}
