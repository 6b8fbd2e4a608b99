// Command sweep removes what acceptance tests left behind on the cloud that OS_CLOUD or the OS_* variables name:
// servers, server groups, volumes and ports with names of tests, in the user's own project, in all regions.
// If the server of a volume is still being removed, the next sweep removes the volume.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

func main() {
	older := flag.Duration("older", 2*time.Hour, "leave what may be of a test that began less than this ago")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	cloud, err := openstack.New(acctest.Login())
	var other *gophercloud.ProviderClient
	if err == nil {
		other, err = acctest.Authenticate(ctx, acctest.Login())
	}
	if err == nil {
		err = sweep(ctx, clients{cloud, other}, *older, time.Now(), os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(1)
	}
}

// clients are a client of the product, and one that takes the answers to all requests.
type clients struct {
	*openstack.Cloud
	other *gophercloud.ProviderClient
}

// thing is something that may be a leftover.
type thing struct {
	kind, name string
	remove     func(context.Context) error
}

// sweep removes the leftovers of tests in all regions, and prints them. It continues after a failure.
func sweep(ctx context.Context, cloud clients, older time.Duration, now time.Time, out io.Writer) error {
	lists := []func(context.Context, clients, string) ([]thing, error){
		listServers, listGroups, listVolumes, listPorts,
	}
	regions, errs := cloud.ComputeRegions(ctx)
	for _, region := range regions {
		for _, list := range lists {
			things, err := list(ctx, cloud, region)
			if err != nil {
				errs = errors.Join(errs, fmt.Errorf("%s: %w", region, err))
			}
			for _, t := range things {
				if age, ok := acctest.Age(t.name, now); !ok || age < older {
					continue
				}
				if err := t.remove(ctx); err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
					errs = errors.Join(errs, fmt.Errorf("%s: remove the %s %s: %w", region, t.kind, t.name, err))
					continue
				}
				fmt.Fprintf(out, "%s: removed the %s %s\n", region, t.kind, t.name)
			}
		}
	}
	return errs
}

func listServers(ctx context.Context, cloud clients, region string) (things []thing, err error) {
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		return nil, err
	}
	client := compute.At(1)
	pager := servers.List(client, servers.ListOpts{Name: "^acc-"})
	return leftovers(ctx, pager, servers.ExtractServers, func(s servers.Server) thing {
		remove := func(ctx context.Context) error { return servers.Delete(ctx, client, s.ID).ExtractErr() }
		return thing{"server", s.Name, remove}
	})
}

func listGroups(ctx context.Context, cloud clients, region string) (things []thing, err error) {
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		return nil, err
	}
	groups, err := compute.ServerGroups(ctx)
	for _, g := range groups {
		remove := func(ctx context.Context) error { return compute.DeleteServerGroup(ctx, g.ID) }
		things = append(things, thing{"server group", g.Name, remove})
	}
	return things, err
}

// leftovers returns the items of a list as things.
func leftovers[T any](
	ctx context.Context, pager pagination.Pager, extract func(pagination.Page) ([]T, error), of func(T) thing,
) (things []thing, err error) {
	err = pager.EachPage(ctx, func(_ context.Context, page pagination.Page) (bool, error) {
		list, err := extract(page)
		for _, item := range list {
			things = append(things, of(item))
		}
		return true, err
	})
	return things, err
}

// client returns a client for another service of a region, or nil if there is none.
func client(
	cloud clients, region string,
	open func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error),
) (*gophercloud.ServiceClient, error) {
	client, err := open(cloud.other, gophercloud.EndpointOpts{Region: region})
	if _, none := errors.AsType[gophercloud.ErrEndpointNotFound](err); none {
		return nil, nil
	}
	return client, err
}

func listVolumes(ctx context.Context, cloud clients, region string) (things []thing, err error) {
	client, err := client(cloud, region, gopher.NewBlockStorageV3)
	if client == nil {
		return nil, err
	}
	return leftovers(ctx, volumes.List(client, nil), volumes.ExtractVolumes, func(v volumes.Volume) thing {
		remove := func(ctx context.Context) error { return volumes.Delete(ctx, client, v.ID, nil).ExtractErr() }
		return thing{"volume", v.Name, remove}
	})
}

func listPorts(ctx context.Context, cloud clients, region string) (things []thing, err error) {
	client, err := client(cloud, region, gopher.NewNetworkV2)
	if client == nil {
		return nil, err
	}
	return leftovers(ctx, ports.List(client, nil), ports.ExtractPorts, func(p ports.Port) thing {
		remove := func(ctx context.Context) error { return ports.Delete(ctx, client, p.ID).ExtractErr() }
		return thing{"port", p.Name, remove}
	})
}
