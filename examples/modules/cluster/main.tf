# This decides where each node belongs and what it is made from, and remembers both: growing and shrinking move no node
# that stays, and a changed template touches none by itself. The block update says how many nodes an apply replaces.
resource "stackpolicy_placement_attachment" "cluster" {
  cluster           = var.cluster
  desired_capacity  = var.desired_capacity
  min_size          = var.min_size
  max_size          = var.max_size
  node_name_pattern = var.node_name_pattern
  regions           = var.regions
  respect_quotas    = var.respect_quotas

  # Nodes are made from these: another value comes with another server.
  image     = var.image
  flavors   = var.flavors
  networks  = var.networks
  pools     = var.pools
  disks     = var.disks
  user_data = var.user_data
  template = {
    security_groups = var.security_groups == null ? null : jsonencode(sort(var.security_groups))
    key_pair        = var.key_pair
    config_drive    = var.config_drive
    attempt         = var.attempt
  }

  deletion {
    criteria   = coalesce(local.given.deletion.criteria, "OLDEST_FIRST")
    candidates = local.given.deletion.candidates
    kept       = local.given.deletion.kept
    protected  = local.given.deletion.protected
  }

  update {
    causes             = coalesce(local.given.update.causes, ["UNHEALTHY", "TEMPLATE"])
    max_batch_size     = local.max_batch_size
    max_age            = local.given.update.max_age
    pause              = local.given.update.pause
    require_in_service = true
    stop_above         = local.given.update.stop_above
    target             = local.given.update.target
  }

  dynamic "health" {
    for_each = anytrue(values(local.has.health)) ? [true] : []
    content {
      grace   = local.given.health.grace
      timeout = local.given.health.timeout

      dynamic "http" {
        for_each = local.has.health.url || local.has.health.status ? [true] : []
        content {
          url    = local.given.health.url
          status = local.given.health.status
        }
      }

      dynamic "tcp" {
        for_each = local.given.health.port[*]
        content {
          port = tcp.value
        }
      }

      dynamic "octavia" {
        for_each = local.has.health.pool_ids ? [local.given.health.pool_ids] : []
        content {
          pool_ids = octavia.value
        }
      }
    }
  }

  lifecycle {
    precondition {
      condition     = length(local.mistakes) == 0
      error_message = join("\n", local.mistakes)
    }
  }
}

resource "openstack_compute_instance_v2" "node" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = anytrue([for d in each.value.disks : d.boot && d.size != null]) ? null : each.value.image_id
  flavor_id         = each.value.flavor_id
  user_data         = local.user_data[each.key]
  key_pair          = lookup(each.value.template, "key_pair", null)
  config_drive      = lookup(each.value.template, "config_drive", null)
  security_groups   = jsondecode(lookup(each.value.template, "security_groups", "null"))
  tags              = var.tags
  metadata          = merge(var.metadata, { cluster = var.cluster, stackpolicy_generation = each.value.generation })

  # Without a volume to boot from, and with others, the disk of the flavor is one of them.
  dynamic "block_device" {
    for_each = each.value.disks
    content {
      source_type           = block_device.value.boot ? "image" : "blank"
      destination_type      = block_device.value.size == null ? "local" : "volume"
      boot_index            = block_device.value.boot ? 0 : -1
      uuid                  = block_device.value.boot ? each.value.image_id : ""
      volume_size           = block_device.value.size
      volume_type           = block_device.value.type
      delete_on_termination = true
    }
  }

  dynamic "network" {
    for_each = each.value.networks
    content {
      uuid = network.value.port ? null : network.value.id
      port = network.value.port ? local.port_ids["${each.key}/${network.value.name}"] : null
    }
  }

  dynamic "scheduler_hints" {
    for_each = local.hints[each.key]
    content {
      group = scheduler_hints.value
    }
  }

  # A server is made once for each generation of its node, before the one that it replaces is drained and destroyed, and
  # never changes: what its arguments would be now is for new servers.
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes = [
      image_id, image_name, flavor_id, flavor_name, user_data, key_pair, config_drive, security_groups, network,
      availability_zone, block_device, scheduler_hints,
    ]
  }
}

# It refers to the server, so Terraform destroys it first: that is when the node is drained. A server that never was in
# service is not: a fix of a bad image does not wait for hooks that nobody answers.
resource "stackpolicy_deletion_attachment" "node" {
  # By servers, not by nodes: a refresh of what has left a for_each forgets that it was made before what it replaces is
  # destroyed.
  for_each     = local.drained
  server_id    = each.value.id
  region       = each.value.region
  cluster      = local.hooked.drain ? var.cluster : null # for the hook
  node_name    = local.hooked.drain ? each.key : null
  enabled      = local.given.drain.enabled
  shutdown     = local.given.drain.shutdown
  grace_period = local.given.drain.grace_period

  depends_on = [openstack_networking_floatingip_associate_v2.node, var.hangs_on]

  dynamic "hook" {
    for_each = local.hooked.drain ? [true] : []
    content {
      type           = local.has.drain.hook_url ? "webhook" : "command"
      url            = local.given.drain.hook_url
      command        = local.given.drain.hook_command
      environment    = local.given.drain.hook_environment
      timeout        = local.given.drain.hook_timeout
      default_result = coalesce(local.given.drain.hook_default_result, "ABANDON")
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

# An apply waits here until the new servers are in service. It refers to the deletion attachments: each new server has
# its own before, and old ones are drained after. If a new server does not get into service, nothing old is drained.
resource "stackpolicy_readiness_attachment" "cluster" {
  cluster    = var.cluster
  nodes      = local.nodes
  servers    = local.servers
  addresses  = local.asked
  stable_for = local.given.readiness.stable_for
  timeout    = local.given.readiness.timeout

  dynamic "http" {
    for_each = local.has.readiness.url || local.has.readiness.status ? [true] : []
    content {
      url    = local.given.readiness.url
      status = local.given.readiness.status
    }
  }

  dynamic "tcp" {
    for_each = local.given.readiness.port[*]
    content {
      port = tcp.value
    }
  }

  dynamic "hook" {
    for_each = local.hooked.readiness ? [true] : []
    content {
      type           = local.has.readiness.hook_url ? "webhook" : "command"
      url            = local.given.readiness.hook_url
      command        = local.given.readiness.hook_command
      environment    = local.given.readiness.hook_environment
      timeout        = local.given.readiness.hook_timeout
      default_result = coalesce(local.given.readiness.hook_default_result, "ABANDON")
    }
  }

  depends_on = [stackpolicy_deletion_attachment.node]

  lifecycle {
    precondition {
      condition     = local.planned
      error_message = "Nodes have no template. Import the cluster again, with templates in the id."
    }

    precondition {
      condition     = var.security_groups == null || alltrue([for p in local.ports : p.security_group_ids != null])
      error_message = "security_groups reach no port of the module's: give such a network security_group_ids."
    }

    precondition {
      condition = alltrue([
        for key, a in openstack_networking_floatingip_associate_v2.node : a.floating_ip == local.ports[key].floating_ip
        if local.ports[key].given
      ])
      error_message = <<-EOT
        floating_ips of networks have another order, and a node keeps its address. Append new addresses, and take one
        off the end of the list only when no node has it.
      EOT
    }
  }
}
