# Ports and addresses of a server: they are made with it and end with it.
locals {
  ports = merge([for name, node in local.nodes : {
    for n in node.networks : "${name}/${n.name}" => merge(n, { node = name, region = node.region }) if n.port
  }]...)

  own = { for key, port in openstack_networking_port_v2.node : key => concat(
    [for address in port.all_fixed_ips : address if !strcontains(address, ":")], port.all_fixed_ips,
  )[0] }

  floating = { for key, has in openstack_networking_floatingip_associate_v2.node :
    split("/", key)[0] => has.floating_ip
  }
}

resource "openstack_networking_port_v2" "node" {
  for_each              = local.ports
  name                  = "${each.value.node}-${each.value.name}"
  region                = each.value.region
  network_id            = each.value.id
  security_group_ids    = each.value.security_group_ids
  port_security_enabled = each.value.port_security_enabled

  dynamic "fixed_ip" {
    for_each = each.value.subnet_id[*]
    content {
      subnet_id = fixed_ip.value
    }
  }

  dynamic "allowed_address_pairs" {
    for_each = coalesce(each.value.allowed_address_pairs, [])
    content {
      ip_address = allowed_address_pairs.value
    }
  }

  # It never changes. Others may: Kubernetes adds pairs for its routes, a virtual address another.
  lifecycle {
    ignore_changes = all
  }
}

resource "openstack_networking_floatingip_v2" "node" {
  for_each    = { for key, port in local.ports : key => port if port.floating_ip_pool != null }
  region      = each.value.region
  pool        = each.value.floating_ip_pool
  description = each.value.node

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [pool]
  }
}

# It is made in two steps: a port refuses a second address while it has one whose answer was lost. A node has its given
# address for life.
resource "openstack_networking_floatingip_associate_v2" "node" {
  for_each    = { for key, port in local.ports : key => port if port.given || port.floating_ip_pool != null }
  region      = each.value.region
  floating_ip = each.value.given ? each.value.floating_ip : openstack_networking_floatingip_v2.node[each.key].address
  port_id     = openstack_networking_port_v2.node[each.key].id
  depends_on  = [openstack_compute_instance_v2.node] # so that it leaves before the server

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [floating_ip]
  }
}
