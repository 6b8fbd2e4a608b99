# This decides where each node belongs and what it is made from, and remembers both: growing and shrinking move no node that stays, and a changed
# template touches none by itself. The block update says how many nodes an apply replaces.
resource "stackpolicy_placement_attachment" "cluster" {
  cluster           = var.cluster
  desired_capacity  = var.desired_capacity
  min_size          = var.min_size
  max_size          = var.max_size
  node_name_pattern = var.node_name_pattern
  regions           = var.regions
  respect_quotas    = var.respect_quotas
  flavor_id         = var.flavor_id
  flavors           = var.flavors
  prefer            = var.prefer

  template = merge({ image_name = var.image_name }, var.flavor_name == null ? {} : { flavor_name = var.flavor_name }, var.user_data_version == null ? {} : { user_data = var.user_data_version })

  deletion {
    criteria   = var.criteria
    candidates = var.candidates
    kept       = var.kept
    protected  = var.protected
  }

  dynamic "update" {
    for_each = length(var.causes) == 0 ? [] : [var.causes]
    content {
      causes             = var.causes
      max_batch_size     = var.max_batch_size
      max_age            = var.max_age
      pause              = var.pause
      window             = var.window
      require_in_service = true
      retry_full_after   = var.retry_full_after
      revert_after       = var.revert_after
      stop_above         = var.stop_above
      target             = var.target
    }
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
      condition     = var.user_data_version == null || contains(keys(var.user_data), coalesce(var.user_data_version, "none"))
      error_message = "user_data_version is ${coalesce(var.user_data_version, "none")}, and user_data has no such version. It has: ${join(", ", keys(var.user_data))}."
    }
    precondition {
      condition     = length(local.wrong) == 0
      error_message = "These variables do not go together: ${join("; ", local.wrong)}."
    }
  }
}

locals {
  nodes = stackpolicy_placement_attachment.cluster.nodes

  # Whether an address is set is no secret, though the address may be one.
  health_http    = nonsensitive(var.health_url != null) || var.health_status != null
  health         = local.health_http || var.health_port != null || var.health_pool_ids != null || var.health_grace != null || var.health_timeout != null
  readiness_http = nonsensitive(var.readiness_url != null) || var.readiness_status != null
  readiness_hook = nonsensitive(var.readiness_hook_url != null) ? "webhook" : var.readiness_hook_queue != null ? "zaqar" : var.readiness_hook_command != null ? "command" : null
  drain_hook     = nonsensitive(var.drain_hook_url != null) ? "webhook" : var.drain_hook_queue != null ? "zaqar" : var.drain_hook_command != null ? "command" : null

  # A region that is not listed any more has nodes until they are replaced.
  unpooled = setsubtract([for p in var.pools : p.region], concat([for r in var.regions : r.name], [for node in local.nodes : node.region]))

  # Variables that are set in vain, or twice.
  wrong = compact([
    length([for v in [local.health_http, var.health_port != null, var.health_pool_ids != null] : v if v]) > 1 ? "health is asked by one of health_url, health_port and health_pool_ids" : "",
    length([for v in [nonsensitive(var.readiness_hook_url != null), var.readiness_hook_queue != null, var.readiness_hook_command != null] : v if v]) > 1 ? "a hook is one of readiness_hook_url, readiness_hook_queue and readiness_hook_command" : "",
    length([for v in [nonsensitive(var.drain_hook_url != null), var.drain_hook_queue != null, var.drain_hook_command != null] : v if v]) > 1 ? "a hook is one of drain_hook_url, drain_hook_queue and drain_hook_command" : "",
    local.health_http && nonsensitive(var.health_url == null) ? "health_status needs health_url" : "",
    local.health && !local.health_http && var.health_port == null && var.health_pool_ids == null ? "health_grace and health_timeout need health_url, health_port or health_pool_ids" : "",
    local.readiness_http && nonsensitive(var.readiness_url == null) ? "readiness_status needs readiness_url" : "",
    local.readiness_hook == null && (var.readiness_hook_timeout != null || var.readiness_hook_environment != null) ? "readiness_hook_timeout and readiness_hook_environment need readiness_hook_url, readiness_hook_queue or readiness_hook_command" : "",
    local.drain_hook == null && (var.drain_hook_timeout != null || var.drain_hook_environment != null) ? "drain_hook_timeout and drain_hook_environment need drain_hook_url, drain_hook_queue or drain_hook_command" : "",
    var.max_server_per_host != null && var.servergroup_policies != "anti-affinity" ? "max_server_per_host needs servergroup_policies = \"anti-affinity\"" : "",
    length(var.causes) == 0 && anytrue([for v in [var.max_age, var.pause, var.retry_full_after, var.revert_after, var.stop_above, var.target, var.window] : v != null]) ? "max_age, pause, retry_full_after, revert_after, stop_above, target and window need causes" : "",
    var.flavor_name == null && var.flavors == null ? "the flavor is given by flavor_name or flavors" : "",
    var.flavor_id != null && var.flavors != null ? "flavor_id is not given with flavors" : "",
    var.max_age != null && !contains(var.causes, "AGE") ? "max_age needs AGE in causes" : "",
    var.max_age == null && contains(var.causes, "AGE") ? "AGE in causes needs max_age" : "",
    var.max_size >= 0 && var.desired_capacity > var.max_size || var.desired_capacity < var.min_size ? "desired_capacity is between min_size and max_size" : "",
  ])
}

resource "openstack_compute_instance_v2" "node" {
  for_each            = local.nodes
  name                = each.key
  region              = each.value.region
  availability_zone   = each.value.zone
  image_name          = each.value.template.image_name
  flavor_name         = coalesce(each.value.flavor, try(each.value.template.flavor_name, null))
  user_data           = try(var.user_data[each.value.template.user_data], null)
  key_pair            = var.key_pair
  config_drive        = var.config_drive
  security_groups     = var.security_groups
  tags                = var.tags
  metadata            = merge(var.metadata, { cluster = var.cluster, stackpolicy_generation = each.value.generation })
  stop_before_destroy = var.shutdown && length(var.pools) > 0 # after the grace period: connections end in it

  network {
    name = var.network_name
  }

  dynamic "scheduler_hints" {
    for_each = var.servergroup_policies == null ? [] : [local.group_of[each.key]]
    content {
      group = scheduler_hints.value
    }
  }

  # A node that takes the place of another is created before that is drained and destroyed.
  #
  # A server cannot change its group. Other hints would replace it; ignored, they are for new servers.
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [scheduler_hints]
  }
}

# It refers to the server, so Terraform destroys it first: that is when the node is drained. A server that never was in service is not:
# a fix of a bad image does not wait for hooks that nobody answers.
resource "stackpolicy_deletion_attachment" "node" {
  for_each        = openstack_compute_instance_v2.node
  server_id       = each.value.id
  region          = each.value.region
  cluster         = var.cluster
  node_name       = each.key
  enabled         = var.drain_enabled
  shutdown        = var.shutdown && length(var.pools) == 0
  grace_period    = var.grace_period
  only_in_service = true

  dynamic "hook" {
    for_each = local.drain_hook[*]
    content {
      type           = hook.value
      url            = var.drain_hook_url
      queue          = var.drain_hook_queue
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
  cluster = var.cluster
  servers = { for name, node in stackpolicy_deletion_attachment.node : name => {
    id      = node.server_id
    region  = node.region
    address = openstack_compute_instance_v2.node[name].access_ip_v4
    mark    = local.nodes[name].mark
  } if !local.nodes[name].closed }
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
      queue          = var.readiness_hook_queue
      command        = var.readiness_hook_command
      environment    = var.readiness_hook_environment
      timeout        = var.readiness_hook_timeout
      default_result = var.readiness_hook_default_result
    }
  }

  lifecycle {
    precondition {
      condition     = length(local.unpooled) == 0
      error_message = "pools names ${join(", ", local.unpooled)}, where the cluster has no node and regions lists none."
    }
  }
}
