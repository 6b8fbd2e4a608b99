package openstackstub

import (
	"context"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// volumeResource is openstack_blockstorage_volume_v3.
func volumeResource() *schema.Resource {
	return storage(createVolume, readVolume, deleteVolume, map[string]*schema.Schema{
		"name":              argument(schema.TypeString),
		"size":              {Type: schema.TypeInt, Required: true},
		"availability_zone": argument(schema.TypeString, computed, replaces),
		"volume_type":       argument(schema.TypeString, computed),

		"enable_online_resize": argument(schema.TypeBool),
	})
}

// storage is a resource that outlives a server. The genuine provider changes some arguments in place.
func storage(
	create, read, remove func(context.Context, *thing) error, arguments map[string]*schema.Schema,
) *schema.Resource {
	update := func(context.Context, *thing) error { return errLess }
	r := kind(openStorage).resource(create, read, update, remove, arguments)
	r.Importer = &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext}
	r.Timeouts = &schema.ResourceTimeout{
		Create: schema.DefaultTimeout(10 * time.Minute),
		Delete: schema.DefaultTimeout(10 * time.Minute),
	}
	return r
}

// await waits until a volume has the target status.
func (t *thing) await(ctx context.Context, timeout, id, target string, pending ...string) error {
	return t.wait(ctx, timeout, func() (string, error) {
		volume, err := volumes.Get(ctx, t.cinder, id).Extract()
		if err != nil {
			return "", err
		}
		return volume.Status, nil
	}, target, pending...)
}

func createVolume(ctx context.Context, t *thing) error {
	volume, err := volumes.Create(ctx, t.cinder, volumes.CreateOpts{
		Name:             t.text("name"),
		Size:             t.Get("size").(int),
		AvailabilityZone: t.text("availability_zone"),
		VolumeType:       t.text("volume_type"),
	}, nil).Extract()
	if err != nil {
		return err
	}
	t.SetId(volume.ID)
	return t.await(ctx, schema.TimeoutCreate, volume.ID, "available", "creating")
}

func readVolume(ctx context.Context, t *thing) error {
	volume, err := volumes.Get(ctx, t.cinder, t.Id()).Extract()
	if err != nil {
		return t.gone(err)
	}
	return t.set(map[string]any{
		"name":              volume.Name,
		"size":              volume.Size,
		"availability_zone": volume.AvailabilityZone,
		"volume_type":       volume.VolumeType,
	})
}

// deleteVolume detaches the volume from any server that has it.
func deleteVolume(ctx context.Context, t *thing) error {
	volume, err := volumes.Get(ctx, t.cinder, t.Id()).Extract()
	if err != nil {
		return t.gone(err)
	}
	for _, a := range volume.Attachments {
		err := volumeattach.Delete(ctx, t.nova, a.ServerID, a.ID).ExtractErr()
		if err != nil && !missing(err) && !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
			return err
		}
	}
	if len(volume.Attachments) > 0 {
		err := t.await(ctx, schema.TimeoutDelete, t.Id(), "available", "in-use", "attaching", "detaching")
		if err != nil {
			return err
		}
	}
	if err := volumes.Delete(ctx, t.cinder, t.Id(), nil).ExtractErr(); err != nil {
		return t.gone(err)
	}
	return t.await(ctx, schema.TimeoutDelete, t.Id(), "DELETED", "deleting", "available")
}
