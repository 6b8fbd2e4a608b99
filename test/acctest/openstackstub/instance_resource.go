package openstackstub

import (
	"context"
	"errors"
	"fmt"
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
func openInstance(ctx context.Context, t *thing) (err error) {
	if err = openNova(ctx, t); err == nil {
		t.glance, err = t.cloud.Glance(ctx, t.region)
	}
	return err
}

// image returns the id of the given image.
func (t *thing) image(ctx context.Context) (string, error) {
	if id := t.text("image_id"); id != "" {
		return id, nil
	}
	return t.imageNamed(ctx, t.glance, t.text("image_name"))
}

// imageNamed asks Glance, or Nova, which passes the request on.
func (t *thing) imageNamed(ctx context.Context, client *gophercloud.ServiceClient, name string) (string, error) {
	image, err := one(ctx, images.List(client, images.ListOpts{Name: name}), images.ExtractImages)
	if err != nil {
		return "", fmt.Errorf("the name %q: %w", name, err)
	}
	return image.ID, nil
}

// flavor returns the id of the given flavor, or of the flavor with a name.
func (t *thing) flavor(ctx context.Context, name string) (string, error) {
	pages, err := flavors.ListDetail(t.nova, nil).AllPages(ctx)
	if err != nil {
		return "", err
	}
	list, err := flavors.ExtractFlavors(pages)
	if err != nil {
		return "", err
	}
	for _, f := range list {
		if f.Name == name {
			return f.ID, nil
		}
	}
	return "", fmt.Errorf("no flavor has the name %q", name)
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

func createInstance(ctx context.Context, t *thing) (err error) {
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
	}
	if opts.ImageRef, err = t.image(ctx); err != nil {
		return err
	}
	if opts.FlavorRef == "" {
		if opts.FlavorRef, err = t.flavor(ctx, t.text("flavor_name")); err != nil {
			return err
		}
	}
	at := 1
	if mode := t.text("network_mode"); mode != "" {
		opts.Networks, at = mode, bootWithMode
	} else if opts.Networks, err = t.wantedNetworks(ctx); err != nil {
		return err
	}
	if len(opts.Tags) > 0 {
		at = bootWithTags
	}
	if opts.HypervisorHostname != "" {
		at = bootOnHypervisor
	}
	if t.Get("block_device.#") != 0 || t.Get("personality.#") != 0 || t.Get("key_pair") != "" {
		return errLess
	}
	t.nova = t.compute.At(at) // until the server is made
	defer func() { t.nova = t.compute.At(1) }()
	server, err := servers.Create(ctx, t.nova, opts, t.hints()).Extract()
	if err != nil {
		return theirs("Error creating OpenStack server: %w", err)
	}
	t.SetId(server.ID)
	if err := t.awaitServer(ctx, schema.TimeoutCreate, "ACTIVE", "BUILD"); err != nil {
		return theirs("Error waiting for instance (%s) to become ready: %w", server.ID, err)
	}
	if strings.EqualFold(t.text("power_state"), "shutoff") {
		if err := t.power(ctx, schema.TimeoutCreate, "active", "shutoff"); err != nil {
			return err
		}
	}
	return nil
}

var errLess = errors.New("the stand-in for terraform-provider-openstack can plan this, and cannot do it")

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
	return t.wait(ctx, timeout, func() (string, error) {
		server, err := servers.Get(ctx, t.nova, t.Id()).Extract()
		if err != nil {
			return "", err
		}
		return server.Status, nil
	}, target, pending...)
}

func readInstance(ctx context.Context, t *thing) error {
	server, err := servers.Get(ctx, t.nova, t.Id()).Extract()
	if err != nil {
		return t.gone(err)
	}
	networks, address, err := t.networks(ctx, server.Addresses)
	if err != nil {
		return err
	}
	power := strings.ToLower(server.Status)
	switch power {
	case "active", "build", "error", "migrating", "paused", "shelved", "shelved_offloaded", "shutoff":
	default:
		return theirs("Invalid power_state for instance %s: %s", t.Id(), server.Status)
	}
	imageID, imageName, err := t.bootedFrom(ctx, server)
	if err != nil {
		return err
	}
	flavorID, flavorName, err := t.shape(ctx, server)
	if err != nil {
		return err
	}
	tagged, err := tags.List(ctx, t.compute.At(withTags), t.Id()).Extract()
	if err != nil {
		return err
	}
	groups := []string{}
	for _, g := range server.SecurityGroups {
		groups = append(groups, g["name"].(string))
	}
	err = t.set(map[string]any{
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
	if err != nil {
		return err
	}
	// Only the configured tags are Terraform's.
	all, ours := t.Get("all_tags").(*schema.Set), t.Get("tags").(*schema.Set)
	return t.Set("tags", all.Intersection(ours))
}

// bootedFrom returns the image of a server, which may be gone from Glance.
func (t *thing) bootedFrom(ctx context.Context, server *servers.Server) (id, name string, err error) {
	id, _ = server.Image["id"].(string)
	image, err := images.Get(ctx, t.glance, id).Extract()
	if missing(err) {
		return id, "Image not found", nil
	}
	if err != nil {
		return "", "", err
	}
	return id, image.Name, nil
}

// shape returns the flavor of a server; both are empty if it is gone.
func (t *thing) shape(ctx context.Context, server *servers.Server) (id, name string, err error) {
	flavor, err := flavors.Get(ctx, t.nova, fmt.Sprint(server.Flavor["id"])).Extract()
	if missing(err) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	return flavor.ID, flavor.Name, nil
}

func deleteInstance(ctx context.Context, t *thing) error {
	if t.Get("stop_before_destroy").(bool) {
		_ = t.power(ctx, schema.TimeoutDelete, "active", "shutoff") // it is deleted anyway
	}
	if err := servers.Delete(ctx, t.nova, t.Id()).ExtractErr(); err != nil {
		return t.gone(err)
	}
	// Any state except these two fails, although the server is deleted.
	if err := t.awaitServer(ctx, schema.TimeoutDelete, "DELETED|SOFT_DELETED", "ACTIVE", "SHUTOFF"); err != nil {
		return theirs("Error waiting for instance (%s) to Delete:  %w", t.Id(), err)
	}
	return nil
}

// importInstance takes an id, and looks in the provider's region. It also imports the metadata, which a refresh does
// not; nobody knows the scheduler hints.
func importInstance(ctx context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
	if diags := kind(openInstance).do(readInstance, readMetadata)(ctx, d, meta); diags.HasError() {
		return nil, errors.New(diags[0].Summary)
	}
	return []*schema.ResourceData{d}, nil
}

func readMetadata(ctx context.Context, t *thing) error {
	metadata, err := servers.Metadata(ctx, t.nova, t.Id()).Extract()
	if err != nil {
		return err
	}
	return t.Set("metadata", metadata)
}
