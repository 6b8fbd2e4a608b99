# This decides where each node belongs and what it is made from, and remembers both: growing and shrinking move no node that stays, and a changed
# template touches none by itself. The block update says how many nodes an apply replaces.
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

  deletion {
    criteria   = var.criteria
    candidates = var.candidates
    kept       = var.kept
    protected  = var.protected
  }

  update {
    causes             = var.causes
    max_batch_size     = var.max_batch_size
    max_age            = var.max_age
    pause              = var.pause
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
    security_groups = var.security_groups == null ? null : jsonencode(sort(var.security_groups))
    boot_volume     = var.boot_volume == null ? null : jsonencode(var.boot_volume)
    volumes         = length(var.volumes) == 0 ? null : jsonencode(var.volumes)
    key_pair        = var.key_pair
    config_drive    = var.config_drive
    attempt         = var.attempt
  } : key => tostring(value) if value != null }

  nodes = stackpolicy_placement_attachment.cluster.nodes

  # Ports of the module's, and the nodes whose addresses are given.
  ports = merge([for name, node in local.nodes : {
    for n in node.networks : "${name}/${node.generation}/${n.name}" => merge(n, { node = name, region = node.region }) if n.port
  }]...)
  given = { for key, port in local.ports : "${port.node}/${port.name}" => merge(port, { key = key }) if port.given }

  # A node that leaves may have a replaced server alone.
  servers = { for name, server in openstack_compute_instance_v2.node : name => server if contains(keys(local.nodes), name) }

  # The address of a node in its first network: an import of a server does not read the order of its networks.
  address = { for name, server in local.servers : name => try(
    coalesce([for n in server.network : n.fixed_ip_v4 if n.uuid == local.nodes[name].networks[0].id]...), coalesce(server.access_ip_v4, server.access_ip_v6), "",
  ) }
  floating = merge(
    { for key, address in openstack_networking_floatingip_v2.node : split("/", key)[0] => address.address },
    { for key, given in openstack_networking_floatingip_associate_v2.node : split("/", key)[0] => given.floating_ip },
  )

  # Its disks, as its template has them. Without a volume to boot from, and with others, the disk of the flavor is one of them.
  devices = { for name, node in local.nodes : name => concat(
    can(node.template.boot_volume) ? [merge({ source = "image", to = "volume" }, jsondecode(node.template.boot_volume))] : [],
    can(node.template.volumes) && !can(node.template.boot_volume) ? [{ source = "image", to = "local" }] : [],
    [for volume in values(try(jsondecode(node.template.volumes), {})) : merge({ source = "blank", to = "volume" }, volume)],
  ) }

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
    anytrue([for v in var.volumes : can(v.zone)]) ? "zone of volumes needs the slots of the module stateful: here Nova makes each volume in the zone of its server" : "",
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

# Ports and addresses of a server: they are made with it and end with it.
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

  # It is made with a server, and never changes. Others may: Kubernetes adds pairs for its routes, a virtual address another.
  lifecycle {
    ignore_changes = all

    precondition {
      condition     = var.security_groups == null || each.value.security_group_ids != null
      error_message = "security_groups reach no port of the module's: give such a network security_group_ids."
    }
  }
}

resource "openstack_networking_floatingip_v2" "node" {
  for_each    = { for key, port in local.ports : key => port if port.floating_ip_pool != null }
  region      = each.value.region
  pool        = each.value.floating_ip_pool
  port_id     = openstack_networking_port_v2.node[each.key].id
  description = each.value.node
  depends_on  = [openstack_compute_instance_v2.node] # so that it leaves before the server

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [pool]
  }
}

# A node has its given address for life. If its server is made again, it never served: the new one takes the address over.
resource "openstack_networking_floatingip_associate_v2" "node" {
  for_each    = local.given
  region      = each.value.region
  floating_ip = each.value.floating_ip
  port_id     = openstack_networking_port_v2.node[each.value.key].id
  depends_on  = [openstack_compute_instance_v2.node] # so that it leaves before the server

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [floating_ip]
  }
}

resource "openstack_compute_instance_v2" "node" {
  for_each            = local.nodes
  name                = each.key
  region              = each.value.region
  availability_zone   = each.value.zone
  image_id            = can(each.value.template.boot_volume) ? null : each.value.image_id
  flavor_id           = each.value.flavor_id
  user_data           = local.user_data[each.key]
  key_pair            = try(each.value.template.key_pair, null)
  config_drive        = try(each.value.template.config_drive, null)
  security_groups     = try(jsondecode(each.value.template.security_groups), null)
  tags                = var.tags
  metadata            = merge(var.metadata, { cluster = var.cluster, stackpolicy_generation = each.value.generation })
  stop_before_destroy = var.shutdown && length(var.pools) > 0 # after the grace period: connections end in it

  dynamic "block_device" {
    for_each = local.devices[each.key]
    content {
      source_type           = block_device.value.source
      destination_type      = block_device.value.to
      boot_index            = block_device.value.source == "image" ? 0 : -1
      uuid                  = block_device.value.source == "image" ? each.value.image_id : ""
      volume_size           = try(block_device.value.size, null)
      volume_type           = try(block_device.value.type, null)
      delete_on_termination = true
    }
  }

  dynamic "network" {
    for_each = each.value.networks
    content {
      uuid = network.value.port ? null : network.value.id
      port = network.value.port ? openstack_networking_port_v2.node["${each.key}/${each.value.generation}/${network.value.name}"].id : null
    }
  }

  dynamic "scheduler_hints" {
    for_each = local.hints[each.key]
    content {
      group = scheduler_hints.value
    }
  }

  # A server is made once for each generation of its node, before the one that it replaces is drained and destroyed, and never changes:
  # what its arguments would be now is for new servers.
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, image_name, flavor_id, flavor_name, user_data, key_pair, config_drive, security_groups, network, availability_zone, block_device, scheduler_hints]
  }
}

# It refers to the server, so Terraform destroys it first: that is when the node is drained. A server that never was in service is not:
# a fix of a bad image does not wait for hooks that nobody answers.
resource "stackpolicy_deletion_attachment" "node" {
  # By servers, not by nodes: a refresh of what has left a for_each forgets that it was made before what it replaces is destroyed.
  for_each     = merge([for servers in local.planned ? [openstack_compute_instance_v2.node] : [] : servers]...)
  server_id    = each.value.id
  region       = each.value.region
  cluster      = var.cluster
  node_name    = each.key
  enabled      = var.drain_enabled == false ? false : null # a plan shows null nowhere
  shutdown     = var.shutdown && length(var.pools) == 0
  grace_period = var.grace_period
  depends_on   = [openstack_networking_floatingip_v2.node, openstack_networking_floatingip_associate_v2.node, var.hangs_on]

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

  lifecycle {
    create_before_destroy = true
  }
}

# An apply waits here until the new servers are in service. It refers to the deletion attachments: each new server has its own before,
# and old ones are drained after. If a new server does not get into service, nothing old is drained or destroyed.
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

    precondition {
      condition     = alltrue([for key, given in openstack_networking_floatingip_associate_v2.node : given.floating_ip == local.given[key].floating_ip])
      error_message = "floating_ips of networks have another order, and a node keeps its address. Append new addresses, and take one off the end of the list only when no node has it."
    }
  }
}
