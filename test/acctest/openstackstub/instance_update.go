package openstackstub

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// updateInstance changes what can be changed, in the order in which
// terraform-provider-openstack does. The first failure ends it.
func updateInstance(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	i, err := open(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	for _, step := range []struct {
		arguments []string
		change    func(context.Context) error
	}{
		{[]string{"name"}, i.rename},
		{[]string{"power_state"}, i.switchPower},
		{[]string{"metadata"}, i.mergeMetadata},
		{[]string{"security_groups", "admin_pass", "personality"}, func(context.Context) error { return errLess }},
		{[]string{"flavor_id", "flavor_name"}, i.resize},
		{[]string{"image_id", "image_name"}, i.rebuild},
		{[]string{"tags"}, i.retag},
	} {
		if d.HasChanges(step.arguments...) {
			if err := step.change(ctx); err != nil {
				return diag.Errorf("Error changing the %s of OpenStack server (%s): %s",
					strings.Join(step.arguments, ", "), d.Id(), err)
			}
		}
	}
	return readInstance(ctx, d, meta)
}

func (i *instance) rename(ctx context.Context) error {
	_, err := servers.Update(ctx, i.nova, i.Id(), servers.UpdateOpts{Name: i.text("name")}).Extract()
	return err
}

func (i *instance) switchPower(ctx context.Context) error {
	from, to := i.GetChange("power_state")
	return i.power(ctx, schema.TimeoutUpdate, strings.ToLower(from.(string)), strings.ToLower(to.(string)))
}

// power brings the server into a power state from another one.
func (i *instance) power(ctx context.Context, timeout, from, to string) (err error) {
	switch {
	case to == "shutoff":
		err = servers.Stop(ctx, i.nova, i.Id()).ExtractErr()
	case to == "paused":
		err = servers.Pause(ctx, i.nova, i.Id()).ExtractErr()
	case to == "shelved_offloaded":
		err = servers.Shelve(ctx, i.nova, i.Id()).ExtractErr()
	case from == "paused":
		err = servers.Unpause(ctx, i.nova, i.Id()).ExtractErr()
	case from == "shelved" || from == "shelved_offloaded":
		err = servers.Unshelve(ctx, i.nova, i.Id(), servers.UnshelveOpts{}).ExtractErr()
	case from != "build":
		err = servers.Start(ctx, i.nova, i.Id()).ExtractErr()
	}
	if err != nil {
		return err
	}
	return i.wait(ctx, timeout, strings.ToUpper(to))
}

// mergeMetadata removes the keys that are not configured any more and sets those
// that are. Those of others stay.
func (i *instance) mergeMetadata(ctx context.Context) error {
	old, wanted := i.GetChange("metadata")
	for key := range given(old) {
		if _, stays := given(wanted)[key]; stays {
			continue
		}
		err := servers.DeleteMetadatum(ctx, i.nova, i.Id(), key).ExtractErr()
		if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return err
		}
	}
	_, err := servers.UpdateMetadata(ctx, i.nova, i.Id(), servers.MetadataOpts(given(wanted))).Extract()
	return err
}

// resize gives the server another flavor and confirms that at once.
func (i *instance) resize(ctx context.Context) (err error) {
	wanted := i.text("flavor_id")
	if !i.HasChange("flavor_id") {
		if wanted, err = i.flavor(ctx, i.text("flavor_name")); err != nil {
			return err
		}
	}
	if err := servers.Resize(ctx, i.nova, i.Id(), servers.ResizeOpts{FlavorRef: wanted}).ExtractErr(); err != nil {
		return err
	}
	if err := i.wait(ctx, schema.TimeoutUpdate, "VERIFY_RESIZE", "RESIZE"); err != nil {
		return err
	}
	if err := servers.ConfirmResize(ctx, i.nova, i.Id()).ExtractErr(); err != nil {
		return fmt.Errorf("confirm: %w", err)
	}
	return i.wait(ctx, schema.TimeoutUpdate, "ACTIVE|SHUTOFF", "VERIFY_RESIZE")
}

// rebuild gives the server another image. By its name that is looked for through
// Nova.
func (i *instance) rebuild(ctx context.Context) (err error) {
	wanted := i.text("image_id")
	if !i.HasChange("image_id") {
		if wanted, err = i.imageNamed(ctx, i.nova, i.text("image_name")); err != nil {
			return err
		}
	}
	if _, err := servers.Rebuild(ctx, i.nova, i.Id(), servers.RebuildOpts{ImageRef: wanted}).Extract(); err != nil {
		return err
	}
	return i.wait(ctx, schema.TimeoutUpdate, "ACTIVE|SHUTOFF", "REBUILD")
}

// retag leaves the tags of others alone.
func (i *instance) retag(ctx context.Context) error {
	old, wanted := i.GetChange("tags")
	all := i.Get("all_tags").(*schema.Set).Difference(old.(*schema.Set)).Union(wanted.(*schema.Set))
	_, err := tags.ReplaceAll(ctx, i.compute.At(withTags), i.Id(), tags.ReplaceAllOpts{Tags: list(all)}).Extract()
	return err
}
