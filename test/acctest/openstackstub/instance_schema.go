package openstackstub

import (
	"context"
	"crypto/sha1" // #nosec: the genuine provider uses it
	"encoding/hex"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// argument is an optional argument; the functions in more change it.
func argument(kind schema.ValueType, more ...func(*schema.Schema)) *schema.Schema {
	s := &schema.Schema{Type: kind, Optional: true}
	for _, say := range more {
		say(s)
	}
	return s
}

func computed(s *schema.Schema) { s.Computed = true }          // read if it is not given
func replaces(s *schema.Schema) { s.ForceNew = true }          // a change replaces the server
func texts(s *schema.Schema)    { s.Elem = argument(0, text) } // a list, set or map of texts
func text(s *schema.Schema)     { s.Type, s.Optional = schema.TypeString, false }

func or(value any) func(*schema.Schema) { return func(s *schema.Schema) { s.Default = value } }
func not(name string) func(*schema.Schema) {
	return func(s *schema.Schema) { s.ConflictsWith = []string{name} }
}

// nested sets the arguments of a block.
func nested(arguments map[string]*schema.Schema) func(*schema.Schema) {
	return func(s *schema.Schema) { s.Elem = &schema.Resource{Schema: arguments} }
}

func instanceResource() *schema.Resource {
	word, flag := schema.TypeString, schema.TypeBool
	read := &schema.Schema{Type: word, Computed: true}
	needed := &schema.Schema{Type: word, Required: true}
	arguments := map[string]*schema.Schema{
		"name": needed,

		// Rebuilt and resized in place.
		"image_id":    argument(word, computed),
		"image_name":  argument(word, computed),
		"flavor_id":   argument(word, computed),
		"flavor_name": argument(word, computed),

		// Changed in place.
		"metadata":        argument(schema.TypeMap, texts),
		"tags":            argument(schema.TypeSet, texts),
		"security_groups": argument(schema.TypeSet, computed, texts),
		"admin_pass":      argument(word, func(s *schema.Schema) { s.Sensitive = true }),
		"power_state":     argument(word, or("active"), func(s *schema.Schema) { s.DiffSuppressFunc = samePower }),
		"personality": argument(schema.TypeSet, not("hypervisor_hostname"), nested(map[string]*schema.Schema{
			"file": needed, "content": needed,
		})),

		// Used by Terraform only.
		"stop_before_destroy": argument(flag, or(false)),
		"force_delete":        argument(flag, or(false)),
		"vendor_options": argument(schema.TypeSet, func(s *schema.Schema) { s.MinItems, s.MaxItems = 1, 1 },
			nested(map[string]*schema.Schema{
				"ignore_resize_confirmation":  argument(flag, or(false)),
				"detach_ports_before_destroy": argument(flag, or(false)),
			})),

		// Place of the server: a change makes another server.
		"availability_zone": argument(word, computed, replaces, not("availability_zone_hints"),
			func(s *schema.Schema) { s.DiffSuppressFunc = sameZone }),
		"availability_zone_hints": argument(word, replaces, not("availability_zone")),
		"hypervisor_hostname":     argument(word, computed, replaces, not("personality")),
		"scheduler_hints": argument(schema.TypeSet, nested(map[string]*schema.Schema{
			"group":                 argument(word, replaces),
			"different_host":        argument(schema.TypeList, replaces, texts),
			"same_host":             argument(schema.TypeList, replaces, texts),
			"query":                 argument(schema.TypeList, replaces, texts),
			"target_cell":           argument(word, replaces),
			"different_cell":        argument(schema.TypeList, replaces, texts),
			"build_near_host_ip":    argument(word, replaces),
			"additional_properties": argument(schema.TypeMap, replaces, texts),
		})),
		"network_mode": argument(word, replaces, not("network")),
		"network": argument(schema.TypeList, computed, replaces, nested(map[string]*schema.Schema{
			"uuid":           argument(word, computed, replaces),
			"name":           argument(word, computed, replaces),
			"port":           argument(word, computed, replaces),
			"fixed_ip_v4":    argument(word, computed, replaces),
			"fixed_ip_v6":    argument(word, computed, replaces),
			"mac":            read,
			"access_network": argument(flag, or(false)),
		})),

		// Input of the creation: a change makes another server.
		"user_data":    argument(word, replaces, func(s *schema.Schema) { s.StateFunc = hashed }),
		"config_drive": argument(flag, replaces),
		"key_pair":     argument(word, replaces),
		"block_device": argument(schema.TypeList, nested(map[string]*schema.Schema{
			"source_type":           {Type: word, Required: true, ForceNew: true},
			"uuid":                  argument(word, replaces),
			"volume_size":           argument(schema.TypeInt, replaces),
			"destination_type":      argument(word, replaces),
			"boot_index":            argument(schema.TypeInt, replaces),
			"delete_on_termination": argument(flag, replaces, or(false)),
			"guest_format":          argument(word, replaces),
			"volume_type":           argument(word, replaces),
			"device_type":           argument(word, replaces),
			"disk_bus":              argument(word, replaces),
			"multiattach":           argument(flag, replaces, or(false)),
		})),

		"access_ip_v4": read,
		"access_ip_v6": read,
		"created":      read,
		"updated":      read,
		"all_metadata": {Type: schema.TypeMap, Computed: true, Elem: &schema.Schema{Type: word}},
		"all_tags":     {Type: schema.TypeSet, Computed: true, Elem: &schema.Schema{Type: word}},
	}
	r := kind(openInstance).resource(createInstance, readInstance, updateInstance, deleteInstance, arguments)
	r.Importer = &schema.ResourceImporter{StateContext: importInstance}
	r.Timeouts = &schema.ResourceTimeout{
		Create: schema.DefaultTimeout(30 * time.Minute),
		Update: schema.DefaultTimeout(30 * time.Minute),
		Delete: schema.DefaultTimeout(30 * time.Minute),
	}
	// A server cannot be resized from a flavor that is gone.
	r.CustomizeDiff = customdiff.All(customdiff.ForceNewIfChange("flavor_id", unknownBefore),
		customdiff.ForceNewIfChange("flavor_name", unknownBefore))
	return r
}

func unknownBefore(_ context.Context, old, _, _ any) bool { return old == "" }

// sameZone: a zone with a host means the zone, because Nova shows no more.
func sameZone(_, old, wanted string, _ *schema.ResourceData) bool {
	zone, _, forced := strings.Cut(wanted, ":")
	return forced && zone == old
}

// samePower: nobody can ask for these states, and Terraform does not end them.
func samePower(_, old, _ string, _ *schema.ResourceData) bool {
	return old == "error" || old == "migrating"
}

// hashed returns the form of user data in the state.
func hashed(data any) string {
	sum := sha1.Sum([]byte(data.(string)))
	return hex.EncodeToString(sum[:])
}
