# This decides where each node belongs and what it is made from, and remembers both. A node has a slot: its name, index and place, which outlive its server. An apply makes
# the servers of a batch again, each in its slot.
resource "stackpolicy_placement_attachment" "cluster" {
  cluster           = var.cluster
  desired_capacity  = var.desired_capacity
  min_size          = var.min_size
  max_size          = var.max_size
  node_name_pattern = var.node_name_pattern
  regions           = var.regions
  networks          = var.networks
  pools             = var.pools
  respect_quotas    = var.respect_quotas
  image             = var.image
  flavors           = var.flavors
  user_data         = var.user_data

  # Values that a server cannot change: another one comes with another server.
  template = length(local.template) > 0 ? local.template : null

  stateful {
    on_removal = var.on_removal
    release    = var.release
    volumes    = length(var.volumes) == 0 ? null : { for name, volume in var.volumes : name => volume.size }
  }

  deletion {
    criteria   = var.criteria
    candidates = var.candidates
    protected  = var.protected
  }

  update {
    causes             = var.causes
    max_batch_size     = var.max_batch_size
    max_age            = var.max_age
    pause              = var.pause
    method             = "RECREATE"
    require_in_service = true
    stop_above         = var.stop_above
    target             = var.target
  }

  dynamic "health" {
    for_each = local.health ? [true] : []
    content {
      grace   = var.health_grace
      timeout = var.health_timeout

      dynamic "http" {
        for_each = local.health_http ? [true] : []
        content {
          url    = var.health_url
          status = var.health_status
        }
      }

      dynamic "tcp" {
        for_each = var.health_port[*]
        content {
          port = tcp.value
        }
      }

      dynamic "octavia" {
        for_each = var.health_pool_ids == null ? [] : [var.health_pool_ids]
        content {
          pool_ids = octavia.value
        }
      }
    }
  }

  lifecycle {
    precondition {
      condition     = length(local.wrong) == 0
      error_message = "These variables do not go together: ${join("; ", local.wrong)}."
    }
  }
}

locals {
  # Whatever else a server is made from.
  template = { for key, value in {
    boot_volume  = var.boot_volume == null ? null : jsonencode(var.boot_volume)
    key_pair     = var.key_pair
    config_drive = var.config_drive
    attempt      = var.attempt
  } : key => tostring(value) if value != null }

  nodes = stackpolicy_placement_attachment.cluster.nodes

  slots = stackpolicy_placement_attachment.cluster.slots

  # The ports of a slot outlive its servers.
  ports = merge([for name, slot in local.slots : {
    for n in slot.networks : "${name}/${n.name}" => merge(n, { slot = name, region = slot.region })
  }]...)

  # A node that leaves may have a replaced server alone.
  servers = { for name, server in openstack_compute_instance_v2.node : name => server if contains(keys(local.nodes), name) }

  # The address of a node in its first network: an import of a server does not read the order of its networks.
  address = { for name, server in local.servers : name => try(
    coalesce([for n in server.network : n.fixed_ip_v4 if n.uuid == local.nodes[name].networks[0].id]...), coalesce(server.access_ip_v4, server.access_ip_v6), "",
  ) }
  floating = merge(
    { for key, address in openstack_networking_floatingip_v2.slot : split("/", key)[0] => address.address },
    { for key, given in openstack_networking_floatingip_associate_v2.slot : split("/", key)[0] => given.floating_ip },
  )

  # Its volumes, each in a zone of Cinder. A slot keeps one that the variable has no more.
  volumes = merge([for name, slot in local.slots : {
    for volume in slot.volumes : "${name}-${volume}" =>
    merge({ slot = name, volume = volume, region = slot.region, size = null, type = null }, try(var.volumes[volume], {}), {
      zone       = try(var.volumes[volume].zone["${slot.region}/${slot.zone}"], var.volumes[volume].zone[slot.zone], tostring(var.volumes[volume].zone), slot.zone)
    })
  }]...)

  # Its own user data.
  user_data = { for name, node in local.nodes : name => try(
    replace(replace(replace(replace(stackpolicy_placement_attachment.cluster.user_data_texts[node.template.user_data],
      "/(^|[^$${])\\{name\\}/", "$${1}${name}"), "/(^|[^$${])\\{index\\}/", "$${1}${node.index}"),
    "/(^|[^$${])\\{region\\}/", "$${1}${node.region}"), "/(^|[^$${])\\{zone\\}/", "$${1}${coalesce(node.zone, "none")}"),
  null) }

  # Whether an address is set is no secret, though the address may be one.
  health_http    = nonsensitive(var.health_url != null) || var.health_status != null
  health         = local.health_http || var.health_port != null || var.health_pool_ids != null || var.health_grace != null || var.health_timeout != null
  readiness_http = nonsensitive(var.readiness_url != null) || var.readiness_status != null
  readiness_hook = nonsensitive(var.readiness_hook_url != null) ? "webhook" : var.readiness_hook_command != null ? "command" : null
  drain_hook     = nonsensitive(var.drain_hook_url != null) ? "webhook" : var.drain_hook_command != null ? "command" : null

  # Variables that are set in vain, or twice.
  wrong = compact([
    length([for v in [local.health_http, var.health_port != null, var.health_pool_ids != null] : v if v]) > 1 ? "health is asked by one of health_url, health_port and health_pool_ids" : "",
    nonsensitive(var.readiness_hook_url != null) && var.readiness_hook_command != null ? "a hook is one of readiness_hook_url and readiness_hook_command" : "",
    nonsensitive(var.drain_hook_url != null) && var.drain_hook_command != null ? "a hook is one of drain_hook_url and drain_hook_command" : "",
    local.health_http && nonsensitive(var.health_url == null) ? "health_status needs health_url" : "",
    local.health && !local.health_http && var.health_port == null && var.health_pool_ids == null ? "health_grace and health_timeout need health_url, health_port or health_pool_ids" : "",
    local.readiness_http && nonsensitive(var.readiness_url == null) ? "readiness_status needs readiness_url" : "",
    local.readiness_hook == null && (var.readiness_hook_timeout != null || var.readiness_hook_environment != null) ? "readiness_hook_timeout and readiness_hook_environment need readiness_hook_url or readiness_hook_command" : "",
    local.drain_hook == null && (var.drain_hook_timeout != null || var.drain_hook_environment != null) ? "drain_hook_timeout and drain_hook_environment need drain_hook_url or drain_hook_command" : "",
    var.max_server_per_host != null && var.servergroup_policies != "anti-affinity" ? "max_server_per_host needs servergroup_policies = \"anti-affinity\"" : "",
    var.max_age == null && contains(var.causes, "AGE") ? "AGE in causes needs max_age" : "",
    try(var.max_size >= 0 && var.desired_capacity > var.max_size || var.desired_capacity < coalesce(var.min_size, 0), false) ? "desired_capacity is between min_size and max_size" : "",
  ])
}

# Volumes that the variable lacks stay as they are.
data "openstack_blockstorage_volume_v3" "leaving" {
  for_each = { for key, volume in local.volumes : key => volume if volume.size == null }
  region   = each.value.region
  name     = each.key
}

# Volumes, ports and addresses outlive the servers: they are made for each slot, whether a node is in it or not.
resource "openstack_blockstorage_volume_v3" "slot" {
  for_each             = local.volumes
  name                 = each.key
  region               = each.value.region
  availability_zone    = each.value.zone
  size                 = each.value.size == null ? data.openstack_blockstorage_volume_v3.leaving[each.key].size : each.value.size
  volume_type          = each.value.type
  enable_online_resize = true

  lifecycle {
    ignore_changes = [availability_zone, volume_type, description] # they are for new volumes: no change of a variable destroys data
  }
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

  # It is made with its slot: no change of a variable takes an address away, and what others add stays. Kubernetes adds pairs for its
  # routes, a virtual address another. A network of another id is another port, with the next server.
  lifecycle {
    ignore_changes       = all
    replace_triggered_by = [terraform_data.network[each.key]]
  }
}

resource "openstack_networking_floatingip_v2" "slot" {
  for_each    = { for key, port in local.ports : key => port if port.floating_ip_pool != null && !port.given }
  region      = each.value.region
  pool        = each.value.floating_ip_pool
  port_id     = openstack_networking_port_v2.slot[each.key].id
  description = each.value.slot

  lifecycle {
    ignore_changes = [pool]
  }
}

resource "openstack_networking_floatingip_associate_v2" "slot" {
  for_each    = { for key, port in local.ports : key => port if port.given }
  region      = each.value.region
  floating_ip = each.value.floating_ip
  port_id     = openstack_networking_port_v2.slot[each.key].id
}

resource "openstack_compute_instance_v2" "node" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = can(each.value.template.boot_volume) ? null : each.value.image_id
  flavor_id         = each.value.flavor_id
  user_data         = local.user_data[each.key]
  key_pair          = try(each.value.template.key_pair, null)
  config_drive      = try(each.value.template.config_drive, null)
  tags              = var.tags
  metadata          = merge(var.metadata, { cluster = var.cluster, stackpolicy_generation = each.value.generation })

  dynamic "block_device" {
    for_each = try([jsondecode(each.value.template.boot_volume)], [])
    content {
      source_type           = "image"
      destination_type      = "volume"
      boot_index            = 0
      uuid                  = each.value.image_id
      volume_size           = block_device.value.size
      volume_type           = try(block_device.value.type, null)
      delete_on_termination = true
    }
  }

  dynamic "network" {
    for_each = each.value.networks
    content {
      port = openstack_networking_port_v2.slot["${each.key}/${network.value.name}"].id
    }
  }

  dynamic "scheduler_hints" {
    for_each = local.hints[each.key]
    content {
      group = scheduler_hints.value
    }
  }

  # Without create_before_destroy, here and in all that refers to the servers: two servers cannot have one port. A server is made once for
  # each generation of its node, and never changes: what its arguments would be now is for the next one.
  lifecycle {
    replace_triggered_by = [terraform_data.generation[each.key]]
    ignore_changes       = [image_id, image_name, flavor_id, flavor_name, user_data, key_pair, config_drive, network, availability_zone, block_device, scheduler_hints]
  }
}

resource "openstack_compute_volume_attach_v2" "node" {
  for_each    = { for key, volume in local.volumes : key => volume if try(contains(jsondecode(local.nodes[volume.slot].template.volumes), volume.volume), false) }
  region      = each.value.region
  instance_id = openstack_compute_instance_v2.node[each.value.slot].id
  volume_id   = openstack_blockstorage_volume_v3.slot[each.key].id
}

# It refers to the server and depends on what hangs on it, so Terraform destroys it first: the node is drained and shut down, then its volumes
# are detached, then the server is destroyed.
resource "stackpolicy_deletion_attachment" "node" {
  for_each     = local.nodes
  server_id    = openstack_compute_instance_v2.node[each.key].id
  region       = each.value.region
  cluster      = var.cluster
  node_name    = each.key
  enabled      = var.drain_enabled == false ? false : null # a plan shows null nowhere
  shutdown     = true
  grace_period = var.grace_period

  dynamic "hook" {
    for_each = local.drain_hook[*]
    content {
      type           = hook.value
      url            = var.drain_hook_url
      command        = var.drain_hook_command
      environment    = var.drain_hook_environment
      timeout        = var.drain_hook_timeout
      default_result = var.drain_hook_default_result
    }
  }

  depends_on = [
    openstack_compute_volume_attach_v2.node, openstack_networking_floatingip_v2.slot, openstack_networking_floatingip_associate_v2.slot,
    var.hangs_on,
  ]
}

# An apply waits here until the new servers are in service, with their volumes.
resource "stackpolicy_readiness_attachment" "cluster" {
  cluster          = var.cluster
  nodes            = local.nodes
  servers          = local.servers
  addresses        = merge({ for name, address in local.address : name => address if length(local.nodes[name].networks) > 1 }, local.floating)
  allow_link_local = var.readiness_allow_link_local
  stable_for       = var.readiness_stable_for
  timeout          = var.readiness_timeout

  dynamic "http" {
    for_each = local.readiness_http ? [true] : []
    content {
      url    = var.readiness_url
      status = var.readiness_status
    }
  }

  dynamic "tcp" {
    for_each = var.readiness_port[*]
    content {
      port = tcp.value
    }
  }

  dynamic "hook" {
    for_each = local.readiness_hook[*]
    content {
      type           = hook.value
      url            = var.readiness_hook_url
      command        = var.readiness_hook_command
      environment    = var.readiness_hook_environment
      timeout        = var.readiness_hook_timeout
      default_result = var.readiness_hook_default_result
    }
  }

  depends_on = [stackpolicy_deletion_attachment.node]

  lifecycle {
    precondition {
      condition     = alltrue([for node in local.nodes : length(node.template) > 0])
      error_message = "Nodes have no template. Import the cluster again, with templates in the id: {\"cluster\": \"${var.cluster}\", \"templates\": [{\"image\": \"...\", \"networks\": \"...\"}]}."
    }
  }
}
