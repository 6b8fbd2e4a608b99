# Volumes, ports and addresses outlive the servers: they are made for each slot, whether a node is in it or not.
locals {
  slots = stackpolicy_placement_attachment.cluster.slots

  volumes = merge([for name, slot in local.slots : {
    for d in slot.disks : "${name}/${d.name}" => merge(d, { slot = name, region = slot.region })
  }]...)
  ports = merge([for name, slot in local.slots : {
    for n in slot.networks : "${name}/${n.name}" => merge(n, { slot = name, region = slot.region })
  }]...)

  volume_ids = { for key, volume in openstack_blockstorage_volume_v3.slot : key => volume.id }
  port_ids   = { for key, port in openstack_networking_port_v2.slot : key => port.id }
  own = { for key, port in openstack_networking_port_v2.slot : key => concat(
    [for address in port.all_fixed_ips : address if !strcontains(address, ":")], port.all_fixed_ips, [""],
  )[0] }

  # The address of a node in its first network.
  address = { for name, node in local.nodes : name => try(local.own["${name}/${node.networks[0].name}"], "") }

  floating = { for key, a in openstack_networking_floatingip_associate_v2.slot : split("/", key)[0] => a.floating_ip }
}

resource "openstack_blockstorage_volume_v3" "slot" {
  for_each             = local.volumes
  name                 = "${each.value.slot}-${each.value.name}" # by which the provider sees how large it is
  region               = each.value.region
  availability_zone    = each.value.zone
  size                 = each.value.size
  volume_type          = each.value.type
  enable_online_resize = true

  lifecycle {
    ignore_changes = [availability_zone, volume_type, description] # for new volumes: no change destroys data
  }
}

resource "openstack_compute_volume_attach_v2" "node" {
  for_each = { for key, v in local.volumes : key => v if try(
    contains(jsondecode(local.nodes[v.slot].texts.volumes), v.name), false,
  ) }
  region      = each.value.region
  instance_id = local.servers[each.value.slot].id
  volume_id   = local.volume_ids[each.key]
}

resource "terraform_data" "network" {
  for_each = local.ports
  input    = each.value.id
}

resource "openstack_networking_port_v2" "slot" {
  for_each              = local.ports
  name                  = replace(each.key, "/", "-")
  region                = each.value.region
  network_id            = each.value.id
  security_group_ids    = each.value.security_group_ids
  port_security_enabled = each.value.port_security_enabled

  dynamic "fixed_ip" {
    for_each = each.value.subnet_id != null || each.value.address != null ? [each.value] : []
    content {
      subnet_id  = fixed_ip.value.subnet_id
      ip_address = fixed_ip.value.address
    }
  }

  dynamic "allowed_address_pairs" {
    for_each = coalesce(each.value.allowed_address_pairs, [])
    content {
      ip_address = allowed_address_pairs.value
    }
  }

  # It is made with its slot: no change of a variable takes an address away, and what others add stays. Kubernetes adds
  # pairs for its routes, a virtual address another. A network of another id is another port, with the next server.
  lifecycle {
    ignore_changes       = all
    replace_triggered_by = [terraform_data.network[each.key]]
  }
}

resource "openstack_networking_floatingip_v2" "slot" {
  for_each    = { for key, port in local.ports : key => port if port.floating_ip_pool != null && !port.given }
  region      = each.value.region
  pool        = each.value.floating_ip_pool
  description = each.value.slot

  lifecycle {
    ignore_changes = [pool]
  }
}

# It is made in two steps: a port refuses a second address while it has one whose answer was lost.
resource "openstack_networking_floatingip_associate_v2" "slot" {
  for_each    = { for key, port in local.ports : key => port if port.given || port.floating_ip_pool != null }
  region      = each.value.region
  floating_ip = each.value.given ? each.value.floating_ip : openstack_networking_floatingip_v2.slot[each.key].address
  port_id     = local.port_ids[each.key]
}
