package openstackstub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// Microversions; without a reason for a newer one it is 2.1.
const (
	withTags         = 26
	bootWithMode     = 37
	bootWithTags     = 52
	bootOnHypervisor = 74
)

// openInstance also opens the services that making a server needs.
func openInstance(ctx context.Context, t *thing) {
	openNova(ctx, t)
	t.glance = must(t.cloud.Glance(ctx, t.region))
}

// image returns the id of the given image.
func (t *thing) image(ctx context.Context) string {
	if id := t.text("image_id"); id != "" {
		return id
	}
	return t.imageNamed(ctx, t.glance, t.text("image_name"))
}

// imageNamed asks Glance, or Nova, which passes the request on.
func (t *thing) imageNamed(ctx context.Context, client *gophercloud.ServiceClient, name string) string {
	return one(ctx, images.List(client, images.ListOpts{Name: name}), images.ExtractImages, name).ID
}

// flavor returns the id of the given flavor, or of the flavor with a name.
func (t *thing) flavor(ctx context.Context, name string) string {
	list := must(flavors.ExtractFlavors(must(flavors.ListDetail(t.nova, nil).AllPages(ctx))))
	i := slices.IndexFunc(list, func(f flavors.Flavor) bool { return f.Name == name })
	if i < 0 {
		check(fmt.Errorf("no flavor has the name %q", name))
	}
	return list[i].ID
}

// given returns the texts of a map.
func given(v any) map[string]string {
	found := map[string]string{}
	for key, value := range v.(map[string]any) {
		found[key] = value.(string)
	}
	return found
}

// list returns the texts of a set.
func list(v any) []string {
	found := []string{}
	for _, item := range v.(*schema.Set).List() {
		found = append(found, item.(string))
	}
	return found
}

func createInstance(ctx context.Context, t *thing) {
	opts := servers.CreateOpts{
		Name:               t.text("name"),
		FlavorRef:          t.text("flavor_id"),
		UserData:           []byte(t.text("user_data")),
		AdminPass:          t.text("admin_pass"),
		HypervisorHostname: t.text("hypervisor_hostname"),
		Metadata:           given(t.Get("metadata")),
		Tags:               list(t.Get("tags")),
		SecurityGroups:     list(t.Get("security_groups")),
		AvailabilityZone:   t.text("availability_zone") + t.text("availability_zone_hints"),
		ImageRef:           t.image(ctx),
	}
	if opts.FlavorRef == "" {
		opts.FlavorRef = t.flavor(ctx, t.text("flavor_name"))
	}
	at := 1
	if mode := t.text("network_mode"); mode != "" {
		opts.Networks, at = mode, bootWithMode
	} else {
		opts.Networks = t.wantedNetworks(ctx)
	}
	if len(opts.Tags) > 0 {
		at = bootWithTags
	}
	if opts.HypervisorHostname != "" {
		at = bootOnHypervisor
	}
	if t.Get("block_device.#") != 0 || t.Get("personality.#") != 0 || t.Get("key_pair") != "" {
		cannot(ctx, t)
	}
	t.nova = t.compute.At(at) // until the server is made
	defer func() { t.nova = t.compute.At(1) }()
	server, err := servers.Create(ctx, t.nova, opts, t.hints()).Extract()
	theirs(err, "Error creating OpenStack server: %w")
	t.SetId(server.ID)
	err = t.awaitServer(ctx, schema.TimeoutCreate, "ACTIVE", "BUILD")
	theirs(err, "Error waiting for instance (%s) to become ready: %w", server.ID)
	if strings.EqualFold(t.text("power_state"), "shutoff") {
		t.power(ctx, schema.TimeoutCreate, "active", "shutoff")
	}
}

// cannot is what the stand-in leaves out.
func cannot(context.Context, *thing) {
	check(errors.New("the stand-in for terraform-provider-openstack can plan this, and cannot do it"))
}

// hints returns the scheduler hints. Nova does not show them afterwards.
func (t *thing) hints() servers.SchedulerHintOpts {
	for _, hints := range t.Get("scheduler_hints").(*schema.Set).List() {
		if hints != nil {
			return servers.SchedulerHintOpts{Group: hints.(map[string]any)["group"].(string)}
		}
	}
	return servers.SchedulerHintOpts{}
}

// awaitServer waits until the server has one of the target states.
func (t *thing) awaitServer(ctx context.Context, timeout, target string, pending ...string) error {
	return t.wait(ctx, timeout, func() string {
		return must(servers.Get(ctx, t.nova, t.Id()).Extract()).Status
	}, target, pending...)
}

func readInstance(ctx context.Context, t *thing) {
	server, err := servers.Get(ctx, t.nova, t.Id()).Extract()
	t.found(err)
	networks, address := t.networks(ctx, server.Addresses)
	power := strings.ToLower(server.Status)
	switch power {
	case "active", "build", "error", "migrating", "paused", "shelved", "shelved_offloaded", "shutoff":
	default:
		theirs(errors.New(server.Status), "Invalid power_state for instance %s: %w", t.Id())
	}
	imageID, imageName := t.bootedFrom(ctx, server)
	flavorID, flavorName := t.shape(ctx, server)
	tagged := must(tags.List(ctx, t.compute.At(withTags), t.Id()).Extract())
	groups := []string{}
	for _, g := range server.SecurityGroups {
		groups = append(groups, g["name"].(string))
	}
	t.set(map[string]any{
		"name":                server.Name,
		"availability_zone":   server.AvailabilityZone,
		"hypervisor_hostname": server.HypervisorHostname,
		"network":             networks,
		"access_ip_v4":        address,
		"all_metadata":        server.Metadata,
		"all_tags":            tagged,
		"power_state":         power,
		"key_pair":            server.KeyName,
		"image_id":            imageID,
		"image_name":          imageName,
		"flavor_id":           flavorID,
		"flavor_name":         flavorName,
		"security_groups":     groups,
		"created":             server.Created.String(),
		"updated":             server.Updated.String(),
	})
	// Only the configured tags are Terraform's.
	all, ours := t.Get("all_tags").(*schema.Set), t.Get("tags").(*schema.Set)
	check(t.Set("tags", all.Intersection(ours)))
}

// bootedFrom returns the image of a server, which may be gone from Glance.
func (t *thing) bootedFrom(ctx context.Context, server *servers.Server) (id, name string) {
	id, _ = server.Image["id"].(string)
	image, err := images.Get(ctx, t.glance, id).Extract()
	if missing(err) {
		return id, "Image not found"
	}
	check(err)
	return id, image.Name
}

// shape returns the flavor of a server; both are empty if it is gone.
func (t *thing) shape(ctx context.Context, server *servers.Server) (id, name string) {
	flavor, err := flavors.Get(ctx, t.nova, fmt.Sprint(server.Flavor["id"])).Extract()
	if missing(err) {
		return "", ""
	}
	check(err)
	return flavor.ID, flavor.Name
}

func deleteInstance(ctx context.Context, t *thing) {
	if t.Get("stop_before_destroy").(bool) {
		_ = try(func() { t.power(ctx, schema.TimeoutDelete, "active", "shutoff") }) // it is deleted anyway
	}
	t.found(servers.Delete(ctx, t.nova, t.Id()).ExtractErr())
	// Any state except these two fails, although the server is deleted.
	err := t.awaitServer(ctx, schema.TimeoutDelete, "DELETED|SOFT_DELETED", "ACTIVE", "SHUTOFF")
	theirs(err, "Error waiting for instance (%s) to Delete:  %w", t.Id())
}

// importInstance takes an id, and looks in the provider's region. It also imports the metadata, which a refresh does
// not; nobody knows the scheduler hints.
func importInstance(ctx context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
	if diags := kind(openInstance).do(readInstance, readMetadata)(ctx, d, meta); diags.HasError() {
		return nil, errors.New(diags[0].Summary)
	}
	return []*schema.ResourceData{d}, nil
}

func readMetadata(ctx context.Context, t *thing) {
	check(t.Set("metadata", must(servers.Metadata(ctx, t.nova, t.Id()).Extract())))
}
