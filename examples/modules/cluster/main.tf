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

  # Said once, and not for each node and zone.
  lifecycle {
    precondition {
      condition     = var.max_server_per_host == null || var.servergroup_policies == "anti-affinity"
      error_message = "max_server_per_host needs servergroup_policies = \"anti-affinity\"."
    }

    precondition {
      condition     = !local.drain_hook || (local.drain_hook_type == "webhook") == (var.drain_hook_command == null)
      error_message = "A drain hook is one of drain_hook_url and drain_hook_command, which its other variables need."
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
  security_groups   = try(jsondecode(each.value.template.security_groups), null)
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
      port = network.value.port ? openstack_networking_port_v2.node["${each.key}/${network.value.name}"].id : null
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
  for_each     = merge([for servers in local.planned ? [openstack_compute_instance_v2.node] : [] : servers]...)
  server_id    = each.value.id
  region       = each.value.region
  cluster      = local.drain_hook ? var.cluster : null # for the hook
  node_name    = local.drain_hook ? each.key : null
  enabled      = var.drain_enabled == false ? false : null # a plan shows null nowhere
  shutdown     = var.shutdown
  grace_period = var.grace_period

  depends_on = [openstack_networking_floatingip_associate_v2.node, var.hangs_on]

  dynamic "hook" {
    for_each = local.drain_hook ? [true] : []
    content {
      type           = local.drain_hook_type
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

# An apply waits here until the new servers are in service. It refers to the deletion attachments: each new server has
# its own before, and old ones are drained after. If a new server does not get into service, nothing old is drained.
resource "stackpolicy_readiness_attachment" "cluster" {
  cluster    = var.cluster
  nodes      = local.nodes
  servers    = local.servers
  addresses  = local.asked
  stable_for = var.readiness_stable_for
  timeout    = var.readiness_timeout

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
    for_each = local.readiness_hook ? [true] : []
    content {
      type           = local.readiness_hook_type
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
