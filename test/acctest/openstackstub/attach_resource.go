package openstackstub

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

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

func createAttachment(ctx context.Context, t *thing) error {
	server, volume := t.text("instance_id"), t.text("volume_id")
	_, err := volumeattach.Create(ctx, t.nova, server, volumeattach.CreateOpts{VolumeID: volume}).Extract()
	if err != nil {
		return err
	}
	t.SetId(server + "/" + volume)
	return t.await(ctx, schema.TimeoutCreate, volume, "in-use", "available", "reserved", "attaching")
}

func readAttachment(ctx context.Context, t *thing) error {
	server, volume, _ := strings.Cut(t.Id(), "/")
	a, err := volumeattach.Get(ctx, t.nova, server, volume).Extract()
	if err != nil {
		return t.gone(err)
	}
	return t.set(map[string]any{"instance_id": a.ServerID, "volume_id": a.VolumeID, "device": a.Device})
}

// deleteAttachment asks until the attachment is gone. Nova refuses with 400 while the volume is being detached.
func deleteAttachment(ctx context.Context, t *thing) error {
	server, volume, _ := strings.Cut(t.Id(), "/")
	for {
		err := volumeattach.Delete(ctx, t.nova, server, volume).ExtractErr()
		if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusBadRequest) {
			return t.gone(err)
		}
		if err := wait.For(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}
