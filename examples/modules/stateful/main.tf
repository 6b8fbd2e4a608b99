# This decides where each node belongs and what it is made from, and remembers both. A node has a slot: its name, index
# and place, which outlive its server. An apply makes the servers of a batch again, each in its slot.
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
    key_pair     = var.key_pair
    config_drive = var.config_drive
    attempt      = var.attempt
  }

  stateful {
    on_removal = var.on_removal
    release    = var.release
  }

  deletion {
    criteria   = coalesce(local.given.deletion.criteria, "HIGHEST_INDEX_FIRST")
    candidates = local.given.deletion.candidates
    protected  = local.given.deletion.protected
  }

  update {
    causes             = coalesce(local.given.update.causes, ["UNHEALTHY", "TEMPLATE"])
    max_batch_size     = local.max_batch_size
    max_age            = local.given.update.max_age
    pause              = local.given.update.pause
    method             = "RECREATE"
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
  availability_zone = local.slots[each.key].zone # its volumes are there, wherever an operator moved the server
  image_id          = length(each.value.disks) > 0 ? null : each.value.image_id
  flavor_id         = each.value.flavor_id
  user_data         = local.user_data[each.key]
  key_pair          = lookup(each.value.template, "key_pair", null)
  config_drive      = lookup(each.value.template, "config_drive", null)
  tags              = var.tags
  metadata          = merge(var.metadata, { cluster = var.cluster, stackpolicy_generation = each.value.generation })

  dynamic "block_device" {
    for_each = each.value.disks
    content {
      source_type           = "image"
      destination_type      = "volume"
      boot_index            = 0
      uuid                  = each.value.image_id
      volume_size           = block_device.value.size
      volume_type           = block_device.value.type
      delete_on_termination = true
    }
  }

  dynamic "network" {
    for_each = each.value.networks
    content {
      port = local.port_ids["${each.key}/${network.value.name}"]
    }
  }

  dynamic "scheduler_hints" {
    for_each = local.hints[each.key]
    content {
      group = scheduler_hints.value
    }
  }

  # Without create_before_destroy, here and in all that refers to the servers: two servers cannot have one port. A
  # server is made once for each generation of its node, and never changes: what its arguments would be now is for the
  # next one.
  lifecycle {
    replace_triggered_by = [terraform_data.generation[each.key]]
    ignore_changes = [
      image_id, image_name, flavor_id, flavor_name, user_data, key_pair, config_drive, network, availability_zone,
      block_device, scheduler_hints,
    ]
  }
}

# It refers to the server and depends on what hangs on it, so Terraform destroys it first: the node is drained and shut
# down, then its volumes are detached, then the server is destroyed.
resource "stackpolicy_deletion_attachment" "node" {
  for_each     = local.nodes
  server_id    = local.servers[each.key].id
  region       = each.value.region
  cluster      = local.hooked.drain ? var.cluster : null # for the hook
  node_name    = local.hooked.drain ? each.key : null
  enabled      = local.given.drain.enabled
  grace_period = local.given.drain.grace_period

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

  depends_on = [
    openstack_compute_volume_attach_v2.node, openstack_networking_floatingip_associate_v2.slot, var.hangs_on,
  ]
}

# An apply waits here until the new servers are in service, with their volumes.
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
  }
}
