package nova

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Login prepares the cloud of a provider block. What the block leaves open
// comes from OS_CLOUD or the OS_* variables.
func Login(block openstack.Config) (*openstack.Cloud, error) {
	if block.AuthURL == "" {
		block.Cloud = cmp.Or(block.Cloud, os.Getenv("OS_CLOUD"))
	}
	block.AuthURL = cmp.Or(block.AuthURL, os.Getenv("OS_AUTH_URL"))
	block.Region = cmp.Or(block.Region, os.Getenv("OS_REGION_NAME"))
	block.DefaultDomain, block.AllowReauth, block.MaxRetries = "default", true, 3
	return openstack.New(block)
}

// reach is a client for the servers of a region, the cloud's own where none is
// named. It returns the region too.
func reach(ctx context.Context, cloud *openstack.Cloud, region string) (*gophercloud.ServiceClient, string, error) {
	if region == "" {
		var err error
		if region, err = cloud.Region(ctx); err != nil {
			return nil, "", err
		}
	}
	compute, err := cloud.Compute(ctx, region)
	if err != nil {
		return nil, "", err
	}
	return compute.At(79), region, nil
}

// boot makes a server and waits until it runs. Made gets its id as soon as
// Nova knows it, whatever comes.
func boot(
	ctx context.Context,
	client *gophercloud.ServiceClient,
	opts servers.CreateOpts,
	group string,
	made func(id string),
) (*servers.Server, error) {
	opts.Networks = "none"
	server, err := servers.Create(ctx, client, opts, servers.SchedulerHintOpts{Group: group}).Extract()
	if err != nil {
		return nil, fmt.Errorf("create the server: %w", err)
	}
	made(server.ID)
	for server.Status == "" || server.Status == "BUILD" { // the answer to a POST has none
		if err := pause(ctx); err != nil {
			return nil, fmt.Errorf("wait for the server %s: %w", server.ID, err)
		}
		if server, err = servers.Get(ctx, client, server.ID).Extract(); err != nil {
			return nil, fmt.Errorf("read the server: %w", err)
		}
	}
	if server.Status != "ACTIVE" {
		return nil, fmt.Errorf("the server %s is %s: %s", server.ID, server.Status, server.Fault.Message)
	}
	return server, nil
}

// remove deletes a server and waits until it is gone.
func remove(ctx context.Context, client *gophercloud.ServiceClient, id string) error {
	err := servers.Delete(ctx, client, id).ExtractErr()
	for err == nil {
		if _, err = servers.Get(ctx, client, id).Extract(); err == nil {
			err = pause(ctx)
		}
	}
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(100 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
