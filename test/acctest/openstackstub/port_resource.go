package openstackstub

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// portResource is openstack_networking_port_v2.
func portResource() *schema.Resource {
	return storage(createPort, readPort, deletePort, map[string]*schema.Schema{
		"name":           argument(schema.TypeString),
		"network_id":     {Type: schema.TypeString, Required: true, ForceNew: true},
		"admin_state_up": argument(schema.TypeBool, computed),

		"security_group_ids": argument(schema.TypeSet, texts),
		"all_fixed_ips":      {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
	})
}

func createPort(ctx context.Context, t *thing) error {
	opts := ports.CreateOpts{Name: t.text("name"), NetworkID: t.text("network_id")}
	if given := t.GetRawConfig().GetAttr("admin_state_up"); !given.IsNull() {
		opts.AdminStateUp = new(given.True())
	}
	if given := t.GetRawConfig().GetAttr("security_group_ids"); !given.IsNull() {
		opts.SecurityGroups = new(list(t.Get("security_group_ids")))
	}
	port, err := ports.Create(ctx, t.neutron, opts).Extract()
	if err != nil {
		return err
	}
	t.SetId(port.ID)
	return nil
}

func readPort(ctx context.Context, t *thing) error {
	port, err := ports.Get(ctx, t.neutron, t.Id()).Extract()
	if err != nil {
		return t.gone(err)
	}
	addresses := []string{}
	for _, ip := range port.FixedIPs {
		addresses = append(addresses, ip.IPAddress)
	}
	return t.set(map[string]any{
		"name":           port.Name,
		"network_id":     port.NetworkID,
		"admin_state_up": port.AdminStateUp,
		"all_fixed_ips":  addresses,
	})
}

func deletePort(ctx context.Context, t *thing) error {
	return t.gone(ports.Delete(ctx, t.neutron, t.Id()).ExtractErr())
}
