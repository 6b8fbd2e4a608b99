# Ports and addresses of a server: they are made with it and end with it.
locals {
  ports = merge([for name, node in local.nodes : {
    for n in node.networks : "${name}/${n.name}" => merge(n, { node = name, region = node.region }) if n.port
  }]...)

  # The command "terraform import" does not know the servers.
  drained = { for name, server in merge([for servers in local.planned ? [local.made] : [] : servers]...) :
    name => { id = server.id, region = server.region }
  }

  port_ids = { for key, port in openstack_networking_port_v2.node : key => port.id }
  own = { for key, port in openstack_networking_port_v2.node : key => concat(
    [for address in port.all_fixed_ips : address if !strcontains(address, ":")], port.all_fixed_ips, [""],
  )[0] }

  # The address of a node in its first network: of its port, or else of its server.
  address = { for name, server in local.servers : name => try(
    local.own["${name}/${local.nodes[name].networks[0].name}"], terraform_data.address[name].input,
    coalesce(server.access_ip_v4, server.access_ip_v6), "",
  ) }

  floating = { for key, a in openstack_networking_floatingip_associate_v2.node : split("/", key)[0] => a.floating_ip }
}

# A server shows no network any more whose name has changed. So its address is remembered, where it has several networks
# and no port of its own in the first one.
resource "terraform_data" "address" {
  for_each = { for name, node in local.nodes : name => node.networks[0].id
    if length(node.networks) > 1 && try(!node.networks[0].port, false)
  }
  triggers_replace = try(local.servers[each.key].id, null)
  input = try(coalesce(concat(
    [for n in local.servers[each.key].network : n.fixed_ip_v4 if n.uuid == each.value],
    [local.servers[each.key].access_ip_v4, local.servers[each.key].access_ip_v6],
  )...), "")

  lifecycle {
    ignore_changes = [input]
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
  port_id     = local.port_ids[each.key]
  depends_on  = [openstack_compute_instance_v2.node] # so that it leaves before the server

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [floating_ip]
  }
}
