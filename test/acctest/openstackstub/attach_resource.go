package openstackstub

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// attachResource is openstack_compute_volume_attach_v2. Its id is that of the
// server, a slash, and that of the volume.
func attachResource() *schema.Resource {
	return &schema.Resource{
		CreateContext: createAttachment,
		ReadContext:   readAttachment,
		DeleteContext: deleteAttachment,
		Importer:      passed(),
		Timeouts:      tenMinutes(),
		Schema: map[string]*schema.Schema{
			"region":      argument(schema.TypeString, computed, replaces),
			"instance_id": {Type: schema.TypeString, Required: true, ForceNew: true},
			"volume_id":   {Type: schema.TypeString, Required: true, ForceNew: true},
			"device":      {Type: schema.TypeString, Computed: true},
		},
	}
}

func createAttachment(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	server, volume := d.Get("instance_id").(string), d.Get("volume_id").(string)
	if _, err := volumeattach.Create(ctx, c.nova, server, volumeattach.CreateOpts{VolumeID: volume}).
		Extract(); err != nil {
		return diag.FromErr(err)
	}
	d.SetId(server + "/" + volume)
	err = c.await(ctx, volume, "in-use", d.Timeout(schema.TimeoutCreate), "available", "reserved", "attaching")
	if err != nil {
		return diag.FromErr(err)
	}
	return readAttachment(ctx, d, meta)
}

func readAttachment(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	server, volume, _ := strings.Cut(d.Id(), "/")
	a, err := volumeattach.Get(ctx, c.nova, server, volume).Extract()
	if err != nil {
		return gone(d, err)
	}
	return setAll(d, map[string]any{"instance_id": a.ServerID, "volume_id": a.VolumeID, "device": a.Device})
}

// deleteAttachment asks until the attachment is gone. Nova refuses with 400 while
// the volume is being detached.
func deleteAttachment(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	server, volume, _ := strings.Cut(d.Id(), "/")
	for {
		err := volumeattach.Delete(ctx, c.nova, server, volume).ExtractErr()
		if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusBadRequest) {
			return gone(d, err)
		}
		if err := wait.For(ctx, 200*time.Millisecond); err != nil {
			return diag.FromErr(err)
		}
	}
}
