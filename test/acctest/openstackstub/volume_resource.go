package openstackstub

import (
	"context"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// volumeResource is openstack_blockstorage_volume_v3.
func volumeResource() *schema.Resource {
	return &schema.Resource{
		CreateContext: createVolume,
		ReadContext:   readVolume,
		UpdateContext: updateNothing,
		DeleteContext: deleteVolume,
		Importer:      passed(),
		Timeouts:      tenMinutes(),
		Schema: map[string]*schema.Schema{
			"region":            argument(schema.TypeString, computed, replaces),
			"name":              argument(schema.TypeString),
			"size":              {Type: schema.TypeInt, Required: true},
			"availability_zone": argument(schema.TypeString, computed, replaces),
		},
	}
}

func tenMinutes() *schema.ResourceTimeout {
	return &schema.ResourceTimeout{
		Create: schema.DefaultTimeout(10 * time.Minute),
		Delete: schema.DefaultTimeout(10 * time.Minute),
	}
}

// passed imports by the id alone.
func passed() *schema.ResourceImporter {
	return &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext}
}

// updateNothing: the genuine provider changes these arguments in place.
func updateNothing(context.Context, *schema.ResourceData, any) diag.Diagnostics {
	return diag.FromErr(errLess)
}

// clients reach Nova, Cinder and Neutron in the region that is named, or in that
// of the provider.
type clients struct {
	nova, cinder, neutron *gophercloud.ServiceClient
}

func reach(ctx context.Context, d *schema.ResourceData, meta any) (c clients, err error) {
	cloud, region, err := where(ctx, d, meta)
	if err != nil {
		return c, err
	}
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		return c, err
	}
	c.nova = compute.At(1)
	opts := gophercloud.EndpointOpts{Region: region}
	if c.cinder, err = gopher.NewBlockStorageV3(c.nova.ProviderClient, opts); err != nil {
		return c, err
	}
	if c.neutron, err = gopher.NewNetworkV2(c.nova.ProviderClient, opts); err != nil {
		return c, err
	}
	return c, d.Set("region", region)
}

// await waits until a volume has the target status; "deleted" is that it is gone.
func (c clients) await(ctx context.Context, id, target string, timeout time.Duration, pending ...string) error {
	conf := &retry.StateChangeConf{
		Target:       []string{target},
		Pending:      pending,
		Timeout:      timeout,
		PollInterval: 200 * time.Millisecond,
	}
	conf.Refresh = func() (any, string, error) {
		volume, err := volumes.Get(ctx, c.cinder, id).Extract()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return c, "deleted", nil
		}
		if err != nil {
			return nil, "", err
		}
		return volume, volume.Status, nil
	}
	_, err := conf.WaitForStateContext(ctx)
	return err
}

func createVolume(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	opts := volumes.CreateOpts{
		Name:             d.Get("name").(string),
		Size:             d.Get("size").(int),
		AvailabilityZone: d.Get("availability_zone").(string),
	}
	volume, err := volumes.Create(ctx, c.cinder, opts, nil).Extract()
	if err != nil {
		return diag.FromErr(err)
	}
	d.SetId(volume.ID)
	if err := c.await(ctx, volume.ID, "available", d.Timeout(schema.TimeoutCreate), "creating"); err != nil {
		return diag.FromErr(err)
	}
	return readVolume(ctx, d, meta)
}

func readVolume(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	volume, err := volumes.Get(ctx, c.cinder, d.Id()).Extract()
	if err != nil {
		return gone(d, err)
	}
	return setAll(d, map[string]any{
		"name":              volume.Name,
		"size":              volume.Size,
		"availability_zone": volume.AvailabilityZone,
	})
}

// deleteVolume detaches the volume from whatever server has it.
func deleteVolume(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	volume, err := volumes.Get(ctx, c.cinder, d.Id()).Extract()
	if err != nil {
		return gone(d, err)
	}
	for _, a := range volume.Attachments {
		err := volumeattach.Delete(ctx, c.nova, a.ServerID, a.ID).ExtractErr()
		if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) &&
			!gophercloud.ResponseCodeIs(err, http.StatusConflict) {
			return diag.FromErr(err)
		}
	}
	if len(volume.Attachments) > 0 {
		err := c.await(ctx, d.Id(), "available", d.Timeout(schema.TimeoutDelete), "in-use", "attaching", "detaching")
		if err != nil {
			return diag.FromErr(err)
		}
	}
	if err := volumes.Delete(ctx, c.cinder, d.Id(), nil).ExtractErr(); err != nil {
		return gone(d, err)
	}
	return diag.FromErr(c.await(ctx, d.Id(), "deleted", d.Timeout(schema.TimeoutDelete), "deleting", "available"))
}
