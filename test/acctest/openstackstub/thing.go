package openstackstub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// thing is what a resource is about, and clients for its region: those that its kind opens.
type thing struct {
	*schema.ResourceData
	cloud   *openstack.Cloud
	region  string // that is named, or that of the provider
	compute *openstack.Compute

	nova, glance, cinder, neutron, octavia *gophercloud.ServiceClient // Nova at 2.1
}

// kind opens the clients of a thing.
type kind func(context.Context, *thing) error

// do makes of steps what the SDK calls. The first failure ends it.
func (open kind) do(steps ...func(context.Context, *thing) error) schema.CreateContextFunc {
	return func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
		t := &thing{ResourceData: d, cloud: meta.(*openstack.Cloud), region: d.Get("region").(string)}
		var err error
		if t.region == "" {
			t.region, err = t.cloud.Region(ctx)
		}
		for _, step := range append([]func(context.Context, *thing) error{open}, steps...) {
			if err == nil {
				err = step(ctx, t)
			}
		}
		return diag.FromErr(err)
	}
}

// resource is what all kinds have in common: a region, and that what is made or changed is read.
func (open kind) resource(
	create, read, update, remove func(context.Context, *thing) error, arguments map[string]*schema.Schema,
) *schema.Resource {
	arguments["region"] = argument(schema.TypeString, computed, replaces)
	return &schema.Resource{
		CreateContext: open.do(create, read),
		ReadContext:   schema.ReadContextFunc(open.do(read)),
		UpdateContext: schema.UpdateContextFunc(open.do(update, read)),
		DeleteContext: schema.DeleteContextFunc(open.do(remove)),
		Schema:        arguments,
	}
}

func openNova(ctx context.Context, t *thing) (err error) {
	if t.compute, err = t.cloud.Compute(ctx, t.region); err != nil {
		return err
	}
	t.nova = t.compute.At(1)
	return nil
}

// openStorage is for what outlives a server.
func openStorage(ctx context.Context, t *thing) (err error) {
	if err = openNova(ctx, t); err != nil {
		return err
	}
	opts := gophercloud.EndpointOpts{Region: t.region}
	if t.cinder, err = gopher.NewBlockStorageV3(t.nova.ProviderClient, opts); err != nil {
		return err
	}
	t.neutron, err = gopher.NewNetworkV2(t.nova.ProviderClient, opts)
	return err
}

func (t *thing) text(name string) string { return t.Get(name).(string) }

// one is the only item of a list.
func one[T any](
	ctx context.Context, pager pagination.Pager, extract func(pagination.Page) ([]T, error),
) (item T, err error) {
	pages, err := pager.AllPages(ctx)
	if err != nil {
		return item, err
	}
	list, err := extract(pages)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("there are %d of this kind: %T", len(list), item)
	}
	if err != nil {
		return item, err
	}
	return list[0], nil
}

// set sets all that is read, and the region.
func (t *thing) set(values map[string]any) error {
	values["region"] = t.region
	for name, value := range values {
		if err := t.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// missing reports whether an error says that something is not there. The client, which is
// that of the product, does not know how Neutron says so.
func missing(err error) bool {
	foreign, _ := errors.AsType[*openstack.ForeignError](err)
	return gophercloud.ResponseCodeIs(err, http.StatusNotFound) ||
		(foreign != nil && foreign.Code == http.StatusNotFound)
}

// theirs is an error in the words of terraform-provider-openstack.
func theirs(format string, args ...any) error { return fmt.Errorf(format, args...) }

// gone takes what is not there out of the state, and lets any other error be one.
func (t *thing) gone(err error) error {
	if missing(err) {
		t.SetId("")
		return nil
	}
	return err
}

// wait waits until what it looks at has one of the target states; any but these and the
// pending ones is an error. Without pending ones all are. What is not there is DELETED.
func (t *thing) wait(
	ctx context.Context, timeout string, look func() (string, error), target string, pending ...string,
) error {
	conf := &retry.StateChangeConf{Target: strings.Split(target, "|"), Pending: pending, Timeout: t.Timeout(timeout)}
	conf.Refresh = func() (any, string, error) {
		conf.PollInterval += 100 * time.Millisecond // asking for servers costs a real cloud more than making them
		state, err := look()
		if missing(err) {
			state, err = "DELETED", nil
		}
		return t, state, err
	}
	_, err := conf.WaitForStateContext(ctx)
	return err
}
