package openstackstub

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
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
func storage(create, read, remove step, arguments map[string]*schema.Schema) *schema.Resource {
	r := kind(openStorage).resource(create, read, cannot, remove, arguments)
	r.Importer = &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext}
	r.Timeouts = &schema.ResourceTimeout{
		Create: schema.DefaultTimeout(10 * time.Minute),
		Delete: schema.DefaultTimeout(10 * time.Minute),
	}
	return r
}

// await waits until a volume has the target status.
func (t *thing) await(ctx context.Context, timeout, id, target string, pending ...string) {
	check(t.wait(ctx, timeout, func() string {
		return must(volumes.Get(ctx, t.cinder, id).Extract()).Status
	}, target, pending...))
}

func createVolume(ctx context.Context, t *thing) {
	volume := must(volumes.Create(ctx, t.cinder, volumes.CreateOpts{
		Name:             t.text("name"),
		Size:             t.Get("size").(int),
		AvailabilityZone: t.text("availability_zone"),
		VolumeType:       t.text("volume_type"),
	}, nil).Extract())
	t.SetId(volume.ID)
	t.await(ctx, schema.TimeoutCreate, volume.ID, "available", "creating")
}

func readVolume(ctx context.Context, t *thing) {
	volume, err := volumes.Get(ctx, t.cinder, t.Id()).Extract()
	t.found(err)
	t.set(map[string]any{
		"name":              volume.Name,
		"size":              volume.Size,
		"availability_zone": volume.AvailabilityZone,
		"volume_type":       volume.VolumeType,
	})
}

// deleteVolume detaches the volume from any server that has it.
func deleteVolume(ctx context.Context, t *thing) {
	volume, err := volumes.Get(ctx, t.cinder, t.Id()).Extract()
	t.found(err)
	for _, a := range volume.Attachments {
		err := volumeattach.Delete(ctx, t.nova, a.ServerID, a.ID).ExtractErr()
		if !missing(err) && !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
			check(err)
		}
	}
	if len(volume.Attachments) > 0 {
		t.await(ctx, schema.TimeoutDelete, t.Id(), "available", "in-use", "attaching", "detaching")
	}
	t.found(volumes.Delete(ctx, t.cinder, t.Id(), nil).ExtractErr())
	t.await(ctx, schema.TimeoutDelete, t.Id(), "DELETED", "deleting", "available")
}

// attachResource is openstack_compute_volume_attach_v2. Its id is the id of the server, a slash, and the id of the
// volume.
func attachResource() *schema.Resource {
	r := storage(createAttachment, readAttachment, deleteAttachment, map[string]*schema.Schema{
		"instance_id": {Type: schema.TypeString, Required: true, ForceNew: true},
		"volume_id":   {Type: schema.TypeString, Required: true, ForceNew: true},
		"device":      {Type: schema.TypeString, Computed: true},
	})
	r.UpdateContext = nil // the SDK refuses an update function if no argument changes in place
	return r
}

func createAttachment(ctx context.Context, t *thing) {
	server, volume := t.text("instance_id"), t.text("volume_id")
	must(volumeattach.Create(ctx, t.nova, server, volumeattach.CreateOpts{VolumeID: volume}).Extract())
	t.SetId(server + "/" + volume)
	t.await(ctx, schema.TimeoutCreate, volume, "in-use", "available", "reserved", "attaching")
}

func readAttachment(ctx context.Context, t *thing) {
	server, volume, _ := strings.Cut(t.Id(), "/")
	a, err := volumeattach.Get(ctx, t.nova, server, volume).Extract()
	t.found(err)
	t.set(map[string]any{"instance_id": a.ServerID, "volume_id": a.VolumeID, "device": a.Device})
}

// deleteAttachment asks until the attachment is gone. Nova refuses with 400 while the volume is being detached.
func deleteAttachment(ctx context.Context, t *thing) {
	server, volume, _ := strings.Cut(t.Id(), "/")
	for {
		err := volumeattach.Delete(ctx, t.nova, server, volume).ExtractErr()
		if !gophercloud.ResponseCodeIs(err, http.StatusBadRequest) {
			t.found(err)
		}
		check(wait.For(ctx, 200*time.Millisecond))
	}
}

// portResource is openstack_networking_port_v2.
func portResource() *schema.Resource {
	return storage(createPort, readPort, deletePort, map[string]*schema.Schema{
		"name":           argument(schema.TypeString),
		"network_id":     {Type: schema.TypeString, Required: true, ForceNew: true},
		"admin_state_up": argument(schema.TypeBool, computed),

		"security_group_ids": argument(schema.TypeSet, texts),
		"all_fixed_ips":      {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
	})
}

func createPort(ctx context.Context, t *thing) {
	opts := ports.CreateOpts{Name: t.text("name"), NetworkID: t.text("network_id")}
	if given := t.GetRawConfig().GetAttr("admin_state_up"); !given.IsNull() {
		opts.AdminStateUp = new(given.True())
	}
	if given := t.GetRawConfig().GetAttr("security_group_ids"); !given.IsNull() {
		opts.SecurityGroups = new(list(t.Get("security_group_ids")))
	}
	t.SetId(must(ports.Create(ctx, t.neutron, opts).Extract()).ID)
}

func readPort(ctx context.Context, t *thing) {
	port, err := ports.Get(ctx, t.neutron, t.Id()).Extract()
	t.found(err)
	addresses := []string{}
	for _, ip := range port.FixedIPs {
		addresses = append(addresses, ip.IPAddress)
	}
	t.set(map[string]any{
		"name":           port.Name,
		"network_id":     port.NetworkID,
		"admin_state_up": port.AdminStateUp,
		"all_fixed_ips":  addresses,
	})
}

func deletePort(ctx context.Context, t *thing) {
	t.found(ports.Delete(ctx, t.neutron, t.Id()).ExtractErr())
}
