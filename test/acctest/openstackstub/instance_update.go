package openstackstub

import (
	"context"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// updateInstance makes all possible changes, in the order in which terraform-provider-openstack makes them. The first
// failure ends it.
func updateInstance(ctx context.Context, t *thing) {
	for _, part := range []struct {
		arguments []string
		change    step
	}{
		{[]string{"name"}, rename},
		{[]string{"power_state"}, switchPower},
		{[]string{"metadata"}, mergeMetadata},
		{[]string{"security_groups", "admin_pass", "personality"}, cannot},
		{[]string{"flavor_id", "flavor_name"}, resize},
		{[]string{"image_id", "image_name"}, rebuild},
		{[]string{"tags"}, retag},
	} {
		if t.HasChanges(part.arguments...) {
			theirs(try(func() { part.change(ctx, t) }), "Error changing the %s of OpenStack server (%s): %w",
				strings.Join(part.arguments, ", "), t.Id())
		}
	}
}

func rename(ctx context.Context, t *thing) {
	must(servers.Update(ctx, t.nova, t.Id(), servers.UpdateOpts{Name: t.text("name")}).Extract())
}

func switchPower(ctx context.Context, t *thing) {
	from, to := t.GetChange("power_state")
	t.power(ctx, schema.TimeoutUpdate, strings.ToLower(from.(string)), strings.ToLower(to.(string)))
}

// power changes the power state of the server.
func (t *thing) power(ctx context.Context, timeout, from, to string) {
	var err error
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
	check(err)
	check(t.awaitServer(ctx, timeout, strings.ToUpper(to)))
}

// mergeMetadata removes the keys that are not configured any more and sets the configured ones. Other keys stay.
func mergeMetadata(ctx context.Context, t *thing) {
	old, wanted := t.GetChange("metadata")
	for key := range given(old) {
		if _, stays := given(wanted)[key]; stays {
			continue
		}
		if err := servers.DeleteMetadatum(ctx, t.nova, t.Id(), key).ExtractErr(); !missing(err) {
			check(err)
		}
	}
	must(servers.UpdateMetadata(ctx, t.nova, t.Id(), servers.MetadataOpts(given(wanted))).Extract())
}

// resize gives the server another flavor and confirms that at once.
func resize(ctx context.Context, t *thing) {
	wanted := t.text("flavor_id")
	if !t.HasChange("flavor_id") {
		wanted = t.flavor(ctx, t.text("flavor_name"))
	}
	check(servers.Resize(ctx, t.nova, t.Id(), servers.ResizeOpts{FlavorRef: wanted}).ExtractErr())
	check(t.awaitServer(ctx, schema.TimeoutUpdate, "VERIFY_RESIZE", "RESIZE"))
	check(servers.ConfirmResize(ctx, t.nova, t.Id()).ExtractErr())
	check(t.awaitServer(ctx, schema.TimeoutUpdate, "ACTIVE|SHUTOFF", "VERIFY_RESIZE"))
}

// rebuild gives the server another image. It looks for the name of the image through Nova.
func rebuild(ctx context.Context, t *thing) {
	wanted := t.text("image_id")
	if !t.HasChange("image_id") {
		wanted = t.imageNamed(ctx, t.nova, t.text("image_name"))
	}
	must(servers.Rebuild(ctx, t.nova, t.Id(), servers.RebuildOpts{ImageRef: wanted}).Extract())
	check(t.awaitServer(ctx, schema.TimeoutUpdate, "ACTIVE|SHUTOFF", "REBUILD"))
}

// retag leaves other tags alone.
func retag(ctx context.Context, t *thing) {
	old, wanted := t.GetChange("tags")
	all := t.Get("all_tags").(*schema.Set).Difference(old.(*schema.Set)).Union(wanted.(*schema.Set))
	must(tags.ReplaceAll(ctx, t.compute.At(withTags), t.Id(), tags.ReplaceAllOpts{Tags: list(all)}).Extract())
}
