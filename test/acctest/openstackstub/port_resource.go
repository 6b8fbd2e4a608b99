package openstackstub

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// portResource is openstack_networking_port_v2.
func portResource() *schema.Resource {
	return &schema.Resource{
		CreateContext: createPort,
		ReadContext:   readPort,
		UpdateContext: updateNothing,
		DeleteContext: deletePort,
		Importer:      passed(),
		Timeouts:      tenMinutes(),
		Schema: map[string]*schema.Schema{
			"region":         argument(schema.TypeString, computed, replaces),
			"name":           argument(schema.TypeString),
			"network_id":     {Type: schema.TypeString, Required: true, ForceNew: true},
			"admin_state_up": argument(schema.TypeBool, computed),
			"all_fixed_ips":  {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
		},
	}
}

func createPort(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	opts := ports.CreateOpts{Name: d.Get("name").(string), NetworkID: d.Get("network_id").(string)}
	if given := d.GetRawConfig().GetAttr("admin_state_up"); !given.IsNull() {
		up := given.True()
		opts.AdminStateUp = &up
	}
	port, err := ports.Create(ctx, c.neutron, opts).Extract()
	if err != nil {
		return diag.FromErr(err)
	}
	d.SetId(port.ID)
	return readPort(ctx, d, meta)
}

func readPort(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	port, err := ports.Get(ctx, c.neutron, d.Id()).Extract()
	if err != nil {
		return gone(d, err)
	}
	addresses := []string{}
	for _, ip := range port.FixedIPs {
		addresses = append(addresses, ip.IPAddress)
	}
	return setAll(d, map[string]any{
		"name":           port.Name,
		"network_id":     port.NetworkID,
		"admin_state_up": port.AdminStateUp,
		"all_fixed_ips":  addresses,
	})
}

func deletePort(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c, err := reach(ctx, d, meta)
	if err != nil {
		return diag.FromErr(err)
	}
	return gone(d, ports.Delete(ctx, c.neutron, d.Id()).ExtractErr())
}
