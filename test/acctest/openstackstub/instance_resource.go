package openstackstub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Microversions; without a reason for a newer one it is 2.1.
const (
	withTags         = 26
	bootWithMode     = 37
	bootWithTags     = 52
	bootOnHypervisor = 74
)

// instance is a server and the clients of its region.
type instance struct {
	*schema.ResourceData
	cloud   *openstack.Cloud
	region  string
	compute *openstack.Compute
	nova    *gophercloud.ServiceClient // at 2.1
	glance  *gophercloud.ServiceClient
}

// open reaches the region that is named, or that of the provider.
func open(ctx context.Context, d *schema.ResourceData, meta any) (i *instance, err error) {
	i = &instance{ResourceData: d}
	if i.cloud, i.region, err = where(ctx, d, meta); err != nil {
		return nil, err
	}
	if i.compute, err = i.cloud.Compute(ctx, i.region); err != nil {
		return nil, err
	}
	i.nova = i.compute.At(1)
	i.glance, err = i.cloud.Glance(ctx, i.region)
	return i, err
}

func (i *instance) text(name string) string { return i.Get(name).(string) }

// image is the id of the image that is given.
func (i *instance) image(ctx context.Context) (string, error) {
	if id := i.text("image_id"); id != "" {
		return id, nil
	}
	return i.imageNamed(ctx, i.glance, i.text("image_name"))
}

// imageNamed asks Glance, or Nova, which hands the question on.
func (i *instance) imageNamed(ctx context.Context, client *gophercloud.ServiceClient, name string) (string, error) {
	pages, err := images.List(client, images.ListOpts{Name: name}).AllPages(ctx)
	if err != nil {
		return "", err
	}
	list, err := images.ExtractImages(pages)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d images have the name %q", len(list), name)
	}
	if err != nil {
		return "", err
	}
	return list[0].ID, nil
}

// flavor is the id of the flavor that is given, or that one has by its name.
func (i *instance) flavor(ctx context.Context, name string) (string, error) {
	pages, err := flavors.ListDetail(i.nova, nil).AllPages(ctx)
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

// given are the texts of a set or map.
func given(v any) map[string]string {
	found := map[string]string{}
	switch v := v.(type) {
	case *schema.Set:
		for _, item := range v.List() {
			found[item.(string)] = ""
		}
	case map[string]any:
		for key, value := range v {
			found[key] = value.(string)
		}
	}
	return found
}

// list are the texts of a set.
func list(v any) []string {
	found := []string{}
	for _, item := range v.(*schema.Set).List() {
		found = append(found, item.(string))
	}
	return found
}

func createInstance(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	i, err := open(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	opts := servers.CreateOpts{
		Name:               i.text("name"),
		FlavorRef:          i.text("flavor_id"),
		UserData:           []byte(i.text("user_data")),
		AdminPass:          i.text("admin_pass"),
		HypervisorHostname: i.text("hypervisor_hostname"),
		Metadata:           given(d.Get("metadata")),
		Tags:               list(d.Get("tags")),
		SecurityGroups:     list(d.Get("security_groups")),
		AvailabilityZone:   i.text("availability_zone") + i.text("availability_zone_hints"),
	}
	if opts.ImageRef, err = i.image(ctx); err != nil {
		return diag.FromErr(err)
	}
	if opts.FlavorRef == "" {
		if opts.FlavorRef, err = i.flavor(ctx, i.text("flavor_name")); err != nil {
			return diag.FromErr(err)
		}
	}
	at := 1
	if mode := i.text("network_mode"); mode != "" {
		opts.Networks, at = mode, bootWithMode
	} else if opts.Networks, err = i.wantedNetworks(ctx); err != nil {
		return diag.FromErr(err)
	}
	if len(opts.Tags) > 0 {
		at = bootWithTags
	}
	if opts.HypervisorHostname != "" {
		at = bootOnHypervisor
	}
	if d.Get("block_device.#") != 0 || d.Get("personality.#") != 0 || d.Get("key_pair") != "" {
		return diag.FromErr(errLess)
	}
	server, err := servers.Create(ctx, i.compute.At(at), opts, i.hints()).Extract()
	if err != nil {
		return diag.Errorf("Error creating OpenStack server: %s", err)
	}
	d.SetId(server.ID)
	if err := i.wait(ctx, schema.TimeoutCreate, "ACTIVE", "BUILD"); err != nil {
		return diag.Errorf("Error waiting for instance (%s) to become ready: %s", server.ID, err)
	}
	if strings.EqualFold(i.text("power_state"), "shutoff") {
		if err := i.power(ctx, schema.TimeoutCreate, "active", "shutoff"); err != nil {
			return diag.FromErr(err)
		}
	}
	return readInstance(ctx, d, meta)
}

var errLess = errors.New("the stand-in for terraform-provider-openstack can plan this, and cannot do it")

// hints are those for the scheduler. Nova does not show them afterwards.
func (i *instance) hints() servers.SchedulerHintOpts {
	for _, hints := range i.Get("scheduler_hints").(*schema.Set).List() {
		if hints != nil {
			return servers.SchedulerHintOpts{Group: hints.(map[string]any)["group"].(string)}
		}
	}
	return servers.SchedulerHintOpts{}
}

// wait waits until the server has the target state; any but that and the
// pending ones is an error. Without pending ones all are.
func (i *instance) wait(ctx context.Context, timeout, target string, pending ...string) error {
	conf := &retry.StateChangeConf{Target: strings.Split(target, "|"), Pending: pending, Timeout: i.Timeout(timeout)}
	conf.Refresh = func() (any, string, error) {
		conf.PollInterval += 100 * time.Millisecond // asking for servers costs a real cloud more than making them
		server, err := servers.Get(ctx, i.nova, i.Id()).Extract()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return i, "DELETED", nil
		}
		if err != nil {
			return nil, "", err
		}
		return server, server.Status, nil
	}
	_, err := conf.WaitForStateContext(ctx)
	return err
}

// setAll sets all that is read.
func setAll(d *schema.ResourceData, values map[string]any) diag.Diagnostics {
	for name, value := range values {
		if err := d.Set(name, value); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}

// gone takes what is not there out of the state, and lets any other error be one.
// The client, which is that of the product, does not know how Neutron says so.
func gone(d *schema.ResourceData, err error) diag.Diagnostics {
	foreign, _ := errors.AsType[*openstack.ForeignError](err)
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) || (foreign != nil && foreign.Code == http.StatusNotFound) {
		d.SetId("")
		return nil
	}
	return diag.FromErr(err)
}

func readInstance(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	i, err := open(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	server, err := servers.Get(ctx, i.nova, d.Id()).Extract()
	if err != nil {
		return gone(d, err)
	}
	networks, address, err := i.networks(ctx, server.Addresses)
	if err != nil {
		return diag.FromErr(err)
	}
	power := strings.ToLower(server.Status)
	switch power {
	case "active", "build", "error", "migrating", "paused", "shelved", "shelved_offloaded", "shutoff":
	default:
		return diag.Errorf("Invalid power_state for instance %s: %s", d.Id(), server.Status)
	}
	imageID, imageName, err := i.bootedFrom(ctx, server)
	if err != nil {
		return diag.FromErr(err)
	}
	flavorID, flavorName, err := i.shape(ctx, server)
	if err != nil {
		return diag.FromErr(err)
	}
	tagged, err := tags.List(ctx, i.compute.At(withTags), d.Id()).Extract()
	if err != nil {
		return diag.FromErr(err)
	}
	groups := []string{}
	for _, g := range server.SecurityGroups {
		groups = append(groups, g["name"].(string))
	}
	for name, value := range map[string]any{
		"name":                server.Name,
		"region":              i.region,
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
	} {
		if err := d.Set(name, value); err != nil {
			return diag.FromErr(err)
		}
	}
	// Of the tags only the configured ones are Terraform's.
	all, ours := d.Get("all_tags").(*schema.Set), d.Get("tags").(*schema.Set)
	return diag.FromErr(d.Set("tags", all.Intersection(ours)))
}

// bootedFrom is the image of a server, which may be gone from Glance.
func (i *instance) bootedFrom(ctx context.Context, server *servers.Server) (id, name string, err error) {
	id, _ = server.Image["id"].(string)
	image, err := images.Get(ctx, i.glance, id).Extract()
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return id, "Image not found", nil
	}
	if err != nil {
		return "", "", err
	}
	return id, image.Name, nil
}

// shape is the flavor of a server; both are empty where it is gone.
func (i *instance) shape(ctx context.Context, server *servers.Server) (id, name string, err error) {
	flavor, err := flavors.Get(ctx, i.nova, fmt.Sprint(server.Flavor["id"])).Extract()
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	return flavor.ID, flavor.Name, nil
}

func deleteInstance(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	i, err := open(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	if d.Get("stop_before_destroy").(bool) {
		_ = i.power(ctx, schema.TimeoutDelete, "active", "shutoff") // it is deleted anyway
	}
	if err := servers.Delete(ctx, i.nova, d.Id()).ExtractErr(); err != nil {
		return gone(d, err)
	}
	// Any state but these two fails, though the server is deleted.
	if err := i.wait(ctx, schema.TimeoutDelete, "DELETED|SOFT_DELETED", "ACTIVE", "SHUTOFF"); err != nil {
		return diag.Errorf("Error waiting for instance (%s) to Delete:  %s", d.Id(), err)
	}
	return nil
}

// importInstance takes an id, and looks in the provider's region. In addition to what
// every refresh reads it takes over the metadata; the hints nobody knows.
func importInstance(ctx context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
	if diags := readInstance(ctx, d, meta); diags.HasError() {
		return nil, errors.New(diags[0].Summary)
	}
	return []*schema.ResourceData{d}, d.Set("metadata", d.Get("all_metadata"))
}
