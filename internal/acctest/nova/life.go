package nova

import (
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// Server is what every resource that is a server knows of it.
type Server struct {
	ID     types.String `tfsdk:"id"`
	Name   types.String `tfsdk:"name"`
	Region types.String `tfsdk:"region"`
	Zone   types.String `tfsdk:"availability_zone"`
}

// Base is the server of a model that embeds it.
func (s *Server) Base() *Server { return s }

// Take takes over what the server really is.
func (s *Server) Take(server *servers.Server) {
	s.Name, s.Zone = types.StringValue(server.Name), types.StringValue(server.AvailabilityZone)
}

// Model is the model of a resource that is a server: it embeds [Server].
type Model[M any] interface {
	*M
	Base() *Server
	Take(server *servers.Server)
}

// Life is what such resources have in common: they are read and deleted alike.
type Life[M any, P Model[M]] struct{ Cloud *openstack.Cloud }

// Configure takes the cloud of the provider.
func (l *Life[M, P]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	l.Cloud, _ = req.ProviderData.(*openstack.Cloud)
}

// Client is one for the server's region, which it fills in.
func (l *Life[M, P]) Client(ctx context.Context, m P, diags *diag.Diagnostics) *gophercloud.ServiceClient {
	client, region, err := Client(ctx, l.Cloud, m.Base().Region.ValueString())
	if err != nil {
		diags.AddError("Unable to reach the region", err.Error())
	}
	m.Base().Region = types.StringValue(region)
	return client
}

// Read reads the server; one that is gone leaves the state.
func (l *Life[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	m := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, m)...)
	client := l.Client(ctx, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	server, err := servers.Get(ctx, client, m.Base().ID.ValueString()).Extract()
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		resp.State.RemoveResource(ctx)
	case err != nil:
		resp.Diagnostics.AddError("Unable to read the server", err.Error())
	default:
		m.Take(server)
		resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	}
}

// Delete deletes the server.
func (l *Life[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	m := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, m)...)
	client := l.Client(ctx, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := Remove(ctx, client, m.Base().ID.ValueString()); err != nil {
		resp.Diagnostics.AddError("Unable to delete the server", err.Error())
	}
}
