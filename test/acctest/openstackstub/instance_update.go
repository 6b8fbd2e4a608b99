package openstackstub

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// updateInstance makes all possible changes, in the order in which terraform-provider-openstack makes them. The first
// failure ends it.
func updateInstance(ctx context.Context, t *thing) error {
	for _, step := range []struct {
		arguments []string
		change    func(context.Context) error
	}{
		{[]string{"name"}, t.rename},
		{[]string{"power_state"}, t.switchPower},
		{[]string{"metadata"}, t.mergeMetadata},
		{[]string{"security_groups", "admin_pass", "personality"}, func(context.Context) error { return errLess }},
		{[]string{"flavor_id", "flavor_name"}, t.resize},
		{[]string{"image_id", "image_name"}, t.rebuild},
		{[]string{"tags"}, t.retag},
	} {
		if t.HasChanges(step.arguments...) {
			if err := step.change(ctx); err != nil {
				return theirs("Error changing the %s of OpenStack server (%s): %w",
					strings.Join(step.arguments, ", "), t.Id(), err)
			}
		}
	}
	return nil
}

func (t *thing) rename(ctx context.Context) error {
	_, err := servers.Update(ctx, t.nova, t.Id(), servers.UpdateOpts{Name: t.text("name")}).Extract()
	return err
}

func (t *thing) switchPower(ctx context.Context) error {
	from, to := t.GetChange("power_state")
	return t.power(ctx, schema.TimeoutUpdate, strings.ToLower(from.(string)), strings.ToLower(to.(string)))
}

// power changes the power state of the server.
func (t *thing) power(ctx context.Context, timeout, from, to string) (err error) {
	switch {
	case to == "shutoff":
		err = servers.Stop(ctx, t.nova, t.Id()).ExtractErr()
	case to == "paused":
		err = servers.Pause(ctx, t.nova, t.Id()).ExtractErr()
	case to == "shelved_offloaded":
		err = servers.Shelve(ctx, t.nova, t.Id()).ExtractErr()
	case from == "paused":
		err = servers.Unpause(ctx, t.nova, t.Id()).ExtractErr()
	case from == "shelved" || from == "shelved_offloaded":
		err = servers.Unshelve(ctx, t.nova, t.Id(), servers.UnshelveOpts{}).ExtractErr()
	case from != "build":
		err = servers.Start(ctx, t.nova, t.Id()).ExtractErr()
	}
	if err != nil {
		return err
	}
	return t.awaitServer(ctx, timeout, strings.ToUpper(to))
}

// mergeMetadata removes the keys that are not configured any more and sets the configured ones. Other keys stay.
func (t *thing) mergeMetadata(ctx context.Context) error {
	old, wanted := t.GetChange("metadata")
	for key := range given(old) {
		if _, stays := given(wanted)[key]; stays {
			continue
		}
		err := servers.DeleteMetadatum(ctx, t.nova, t.Id(), key).ExtractErr()
		if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return err
		}
	}
	_, err := servers.UpdateMetadata(ctx, t.nova, t.Id(), servers.MetadataOpts(given(wanted))).Extract()
	return err
}

// resize gives the server another flavor and confirms that at once.
func (t *thing) resize(ctx context.Context) (err error) {
	wanted := t.text("flavor_id")
	if !t.HasChange("flavor_id") {
		if wanted, err = t.flavor(ctx, t.text("flavor_name")); err != nil {
			return err
		}
	}
	if err := servers.Resize(ctx, t.nova, t.Id(), servers.ResizeOpts{FlavorRef: wanted}).ExtractErr(); err != nil {
		return err
	}
	if err := t.awaitServer(ctx, schema.TimeoutUpdate, "VERIFY_RESIZE", "RESIZE"); err != nil {
		return err
	}
	if err := servers.ConfirmResize(ctx, t.nova, t.Id()).ExtractErr(); err != nil {
		return fmt.Errorf("confirm: %w", err)
	}
	return t.awaitServer(ctx, schema.TimeoutUpdate, "ACTIVE|SHUTOFF", "VERIFY_RESIZE")
}

// rebuild gives the server another image. It looks for the name of the image through Nova.
func (t *thing) rebuild(ctx context.Context) (err error) {
	wanted := t.text("image_id")
	if !t.HasChange("image_id") {
		if wanted, err = t.imageNamed(ctx, t.nova, t.text("image_name")); err != nil {
			return err
		}
	}
	if _, err := servers.Rebuild(ctx, t.nova, t.Id(), servers.RebuildOpts{ImageRef: wanted}).Extract(); err != nil {
		return err
	}
	return t.awaitServer(ctx, schema.TimeoutUpdate, "ACTIVE|SHUTOFF", "REBUILD")
}

// retag leaves other tags alone.
func (t *thing) retag(ctx context.Context) error {
	old, wanted := t.GetChange("tags")
	all := t.Get("all_tags").(*schema.Set).Difference(old.(*schema.Set)).Union(wanted.(*schema.Set))
	_, err := tags.ReplaceAll(ctx, t.compute.At(withTags), t.Id(), tags.ReplaceAllOpts{Tags: list(all)}).Extract()
	return err
}
