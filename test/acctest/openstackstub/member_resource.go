package openstackstub

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/wait"
)

// memberResource is openstack_lb_member_v2.
func memberResource() *schema.Resource {
	return kind(openOctavia).resource(createMember, readMember, updateMember, deleteMember, map[string]*schema.Schema{
		"pool_id":        {Type: schema.TypeString, Required: true, ForceNew: true},
		"address":        {Type: schema.TypeString, Required: true, ForceNew: true},
		"protocol_port":  {Type: schema.TypeInt, Required: true, ForceNew: true},
		"subnet_id":      argument(schema.TypeString, replaces),
		"name":           argument(schema.TypeString),
		"weight":         argument(schema.TypeInt, computed),
		"admin_state_up": {Type: schema.TypeBool, Optional: true, Default: true},
	})
}

func openOctavia(ctx context.Context, t *thing) {
	t.octavia = must(t.cloud.LoadBalancer(ctx, t.region)).Client
}

// whenever repeats a change that Octavia refuses while another one is under way (409), its database sees two at once
// (500), or the quotas of the project are locked (503), as terraform-provider-openstack does.
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

// weight returns the given weight, or nil.
func (t *thing) weight() *int {
	if given := t.GetRawConfig().GetAttr("weight"); given.IsNull() {
		return nil
	}
	return new(t.Get("weight").(int))
}

func createMember(ctx context.Context, t *thing) {
	opts := pools.CreateMemberOpts{
		Name:         t.text("name"),
		Address:      t.text("address"),
		ProtocolPort: t.Get("protocol_port").(int),
		SubnetID:     t.text("subnet_id"),
		Weight:       t.weight(),
		AdminStateUp: new(t.Get("admin_state_up").(bool)),
	}
	check(whenever(ctx, func() error {
		member, err := pools.CreateMember(ctx, t.octavia, t.text("pool_id"), opts).Extract()
		if err == nil {
			t.SetId(member.ID)
		}
		return err
	}))
}

func readMember(ctx context.Context, t *thing) {
	member, err := pools.GetMember(ctx, t.octavia, t.text("pool_id"), t.Id()).Extract()
	t.found(err)
	t.set(map[string]any{
		"name": member.Name, "address": member.Address, "protocol_port": member.ProtocolPort, "weight": member.Weight,
		"admin_state_up": member.AdminStateUp, "subnet_id": member.SubnetID,
	})
}

func updateMember(ctx context.Context, t *thing) {
	opts := pools.UpdateMemberOpts{Name: new(t.text("name")), AdminStateUp: new(t.Get("admin_state_up").(bool))}
	if t.HasChange("weight") {
		opts.Weight = t.weight()
	}
	check(whenever(ctx, func() error {
		return pools.UpdateMember(ctx, t.octavia, t.text("pool_id"), t.Id(), opts).Err
	}))
}

func deleteMember(ctx context.Context, t *thing) {
	t.found(whenever(ctx, func() error {
		return pools.DeleteMember(ctx, t.octavia, t.text("pool_id"), t.Id()).ExtractErr()
	}))
}
