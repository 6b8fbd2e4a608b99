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

// thing is the object of a resource, with clients for its region: the ones that its kind opens.
type thing struct {
	*schema.ResourceData
	cloud   *openstack.Cloud
	region  string // named region, or the provider's
	compute *openstack.Compute

	nova, glance, cinder, neutron, octavia *gophercloud.ServiceClient // Nova at 2.1
}

// kind opens the clients of a thing.
type kind func(context.Context, *thing) error

// do makes a function for the SDK from steps. The first failure ends it.
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

// resource has the common parts of all kinds: a region, and a read after each change.
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

// openStorage opens the services of things that outlive a server.
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

// one returns the only item of a list.
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

// set sets all read values, and the region.
func (t *thing) set(values map[string]any) error {
	values["region"] = t.region
	for name, value := range values {
		if err := t.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// missing reports whether an error means that something does not exist. The product's client does not know Neutron's
// form of it.
func missing(err error) bool {
	foreign, _ := errors.AsType[*openstack.ForeignError](err)
	return gophercloud.ResponseCodeIs(err, http.StatusNotFound) ||
		(foreign != nil && foreign.Code == http.StatusNotFound)
}

// theirs is an error in the words of terraform-provider-openstack.
func theirs(format string, args ...any) error { return fmt.Errorf(format, args...) }

// gone removes a thing that does not exist from the state, and returns any other error.
func (t *thing) gone(err error) error {
	if missing(err) {
		t.SetId("")
		return nil
	}
	return err
}

// wait waits until a thing has one of the target states. Any other state is an error, except for the pending ones;
// without pending ones all are pending. A thing that does not exist is DELETED.
func (t *thing) wait(
	ctx context.Context, timeout string, look func() (string, error), target string, pending ...string,
) error {
	conf := &retry.StateChangeConf{Target: strings.Split(target, "|"), Pending: pending, Timeout: t.Timeout(timeout)}
	conf.Refresh = func() (any, string, error) {
		conf.PollInterval += 100 * time.Millisecond // on a real cloud asking for servers costs more than making them
		state, err := look()
		if missing(err) {
			state, err = "DELETED", nil
		}
		return t, state, err
	}
	_, err := conf.WaitForStateContext(ctx)
	return err
}
