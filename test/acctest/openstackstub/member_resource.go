package openstackstub

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// memberResource is openstack_lb_member_v2.
func memberResource() *schema.Resource {
	return &schema.Resource{
		CreateContext: createMember,
		ReadContext:   readMember,
		UpdateContext: updateMember,
		DeleteContext: deleteMember,
		Schema: map[string]*schema.Schema{
			"region":         argument(schema.TypeString, computed, replaces),
			"pool_id":        {Type: schema.TypeString, Required: true, ForceNew: true},
			"address":        {Type: schema.TypeString, Required: true, ForceNew: true},
			"protocol_port":  {Type: schema.TypeInt, Required: true, ForceNew: true},
			"subnet_id":      argument(schema.TypeString, replaces),
			"name":           argument(schema.TypeString),
			"weight":         argument(schema.TypeInt, computed),
			"admin_state_up": {Type: schema.TypeBool, Optional: true, Default: true},
		},
	}
}

// octavia is a client for the region that is named, or that of the provider.
func octavia(ctx context.Context, d *schema.ResourceData, meta any) (*gophercloud.ServiceClient, error) {
	cloud, region, err := where(ctx, d, meta)
	if err != nil {
		return nil, err
	}
	lb, err := cloud.LoadBalancer(ctx, region)
	if err != nil {
		return nil, err
	}
	return lb.Client, d.Set("region", region)
}

// whenever repeats a change that Octavia refuses while another one is under way (409), where
// its database finds two at once (500), and where the quotas of the project are locked (503),
// as terraform-provider-openstack does.
func whenever(ctx context.Context, change func() error) error {
	for {
		err := change()
		busy := []int{http.StatusConflict, http.StatusInternalServerError, http.StatusServiceUnavailable}
		if !slices.ContainsFunc(busy, func(code int) bool { return gophercloud.ResponseCodeIs(err, code) }) {
			return err
		}
		if wait.For(ctx, 100*time.Millisecond) != nil {
			return err
		}
	}
}

// weight is the one that is given; nil: none is.
func weight(d *schema.ResourceData) *int {
	if given := d.GetRawConfig().GetAttr("weight"); given.IsNull() {
		return nil
	}
	n := d.Get("weight").(int)
	return &n
}

func createMember(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	client, err := octavia(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	up := d.Get("admin_state_up").(bool)
	opts := pools.CreateMemberOpts{
		Name:         d.Get("name").(string),
		Address:      d.Get("address").(string),
		ProtocolPort: d.Get("protocol_port").(int),
		SubnetID:     d.Get("subnet_id").(string),
		Weight:       weight(d),
		AdminStateUp: &up,
	}
	var member *pools.Member
	err = whenever(ctx, func() (err error) {
		member, err = pools.CreateMember(ctx, client, d.Get("pool_id").(string), opts).Extract()
		return err
	})
	if err != nil {
		return diag.FromErr(err)
	}
	d.SetId(member.ID)
	return readMember(ctx, d, meta)
}

func readMember(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	client, err := octavia(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	member, err := pools.GetMember(ctx, client, d.Get("pool_id").(string), d.Id()).Extract()
	if err != nil {
		return gone(d, err)
	}
	return setAll(d, map[string]any{
		"name": member.Name, "address": member.Address, "protocol_port": member.ProtocolPort, "weight": member.Weight,
		"admin_state_up": member.AdminStateUp, "subnet_id": member.SubnetID,
	})
}

func updateMember(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	client, err := octavia(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	name, up := d.Get("name").(string), d.Get("admin_state_up").(bool)
	opts := pools.UpdateMemberOpts{Name: &name, AdminStateUp: &up}
	if d.HasChange("weight") {
		opts.Weight = weight(d)
	}
	err = whenever(ctx, func() error {
		_, err := pools.UpdateMember(ctx, client, d.Get("pool_id").(string), d.Id(), opts).Extract()
		return err
	})
	if err != nil {
		return diag.FromErr(err)
	}
	return readMember(ctx, d, meta)
}

func deleteMember(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	client, err := octavia(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	err = whenever(ctx, func() error {
		return pools.DeleteMember(ctx, client, d.Get("pool_id").(string), d.Id()).ExtractErr()
	})
	return gone(d, err)
}
