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

// step is a part of what the SDK asks for. Its failure panics, and ends that.
type step func(context.Context, *thing)

// failure is the panic of a step. It has no error if the thing does not exist.
type failure struct{ error }

// check ends a step with an error, if there is one.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns a result, or ends the step with the error.
func must[T any](result T, err error) T {
	check(err)
	return result
}

// try returns the error with which something ends.
func try(do func()) (err error) {
	defer func() {
		problem := recover()
		if f, is := problem.(failure); is {
			err = f.error
		} else if problem != nil {
			panic(problem)
		}
	}()
	do()
	return nil
}

// kind opens the clients of a thing.
type kind step

// do makes a function for the SDK from steps.
func (open kind) do(steps ...step) schema.CreateContextFunc {
	return func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
		t := &thing{ResourceData: d, cloud: meta.(*openstack.Cloud), region: d.Get("region").(string)}
		return diag.FromErr(try(func() {
			if t.region == "" {
				t.region = must(t.cloud.Region(ctx))
			}
			open(ctx, t)
			for _, step := range steps {
				step(ctx, t)
			}
		}))
	}
}

// resource has the common parts of all kinds: a region, and a read after each change.
func (open kind) resource(create, read, update, remove step, arguments map[string]*schema.Schema) *schema.Resource {
	arguments["region"] = argument(schema.TypeString, computed, replaces)
	return &schema.Resource{
		CreateContext: open.do(create, read),
		ReadContext:   schema.ReadContextFunc(open.do(read)),
		UpdateContext: schema.UpdateContextFunc(open.do(update, read)),
		DeleteContext: schema.DeleteContextFunc(open.do(remove)),
		Schema:        arguments,
	}
}

func openNova(ctx context.Context, t *thing) {
	t.compute = must(t.cloud.Compute(ctx, t.region))
	t.nova = t.compute.At(1)
}

// openStorage opens the services of things that outlive a server.
func openStorage(ctx context.Context, t *thing) {
	openNova(ctx, t)
	opts := gophercloud.EndpointOpts{Region: t.region}
	t.cinder = must(gopher.NewBlockStorageV3(t.nova.ProviderClient, opts))
	t.neutron = must(gopher.NewNetworkV2(t.nova.ProviderClient, opts))
}

func (t *thing) text(name string) string { return t.Get(name).(string) }

// one returns the only item of a list; called says how the user named it.
func one[T any](
	ctx context.Context, pager pagination.Pager, extract func(pagination.Page) ([]T, error), called string,
) T {
	list := must(extract(must(pager.AllPages(ctx))))
	if len(list) != 1 {
		check(fmt.Errorf("%s: there are %d of this kind: %T", called, len(list), list))
	}
	return list[0]
}

// set sets all read values, and the region.
func (t *thing) set(values map[string]any) {
	values["region"] = t.region
	for name, value := range values {
		check(t.Set(name, value))
	}
}

// missing reports whether an error means that something does not exist. The product's client does not know Neutron's
// form of it.
func missing(err error) bool {
	foreign, _ := errors.AsType[*openstack.ForeignError](err)
	return gophercloud.ResponseCodeIs(err, http.StatusNotFound) ||
		(foreign != nil && foreign.Code == http.StatusNotFound)
}

// theirs ends a step with an error, if there is one, in the words of terraform-provider-openstack.
func theirs(err error, format string, args ...any) {
	if err != nil {
		check(fmt.Errorf(format, append(args, err)...))
	}
}

// found ends a step with an error, if there is one. If it means that the thing does not exist, that removes the thing
// from the state instead.
func (t *thing) found(err error) {
	if missing(err) {
		t.SetId("")
		panic(failure{})
	}
	check(err)
}

// wait waits until a thing has one of the target states. Any other state is an error, except for the pending ones;
// without pending ones all are pending. A thing that does not exist is DELETED.
func (t *thing) wait(
	ctx context.Context, timeout string, look func() string, target string, pending ...string,
) error {
	conf := &retry.StateChangeConf{Target: strings.Split(target, "|"), Pending: pending, Timeout: t.Timeout(timeout)}
	conf.Refresh = func() (_ any, state string, _ error) {
		conf.PollInterval += 100 * time.Millisecond // on a real cloud asking for servers costs more than making them
		err := try(func() { state = look() })
		if missing(err) {
			state, err = "DELETED", nil
		}
		return t, state, err
	}
	_, err := conf.WaitForStateContext(ctx)
	return err
}
