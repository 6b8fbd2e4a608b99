# Where each node belongs, and what it is made from. Both are remembered: growing
# and shrinking move no node that stays, and a changed template touches none by
# itself. The update block says how many nodes an apply replaces.
resource "stackpolicy_placement_attachment" "cluster" {
  cluster          = var.name
  desired_capacity = var.size
  min_size         = var.min_size
  max_size         = var.max_size
  regions          = var.regions
  template         = merge({ image = var.image_name, flavor = var.flavor_name }, var.user_data_version == null ? {} : { user_data = var.user_data_version })

  dynamic "update" {
    for_each = var.update == null ? [] : [var.update]
    content {
      causes             = update.value.causes
      max_batch_size     = update.value.max_batch_size
      target             = update.value.target
      method             = update.value.method
      stop_above         = update.value.stop_above
      require_in_service = update.value.require_in_service
    }
  }

  deletion {
    criteria   = var.deletion.criteria
    candidates = var.deletion.candidates
    kept       = var.deletion.kept
    protected  = var.deletion.protected
  }
}

locals {
  nodes = stackpolicy_placement_attachment.cluster.nodes

  # A server group belongs to a region, and Nova lets it have ten members unless
  # an operator raised that. So there is one for each zone and each block of ten
  # indexes, wherever nodes are, also in a place that is no longer listed.
  group_of = { for name, node in local.nodes : name => join("/", [node.region, coalesce(node.zone, "any"), floor(node.index / var.group_size)]) }
  groups = var.affinity == null ? {} : { for name, node in local.nodes : local.group_of[name] => {
    region = node.region
    name   = join("-", compact([var.name, node.zone, floor(node.index / var.group_size)]))
  }... }
}

resource "stackpolicy_affinity_attachment" "cluster" {
  for_each = local.groups
  region   = each.value[0].region

  servergroup {
    name     = each.value[0].name
    policies = var.affinity
  }
}

resource "openstack_compute_instance_v2" "node" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = each.value.template.image
  flavor_name       = each.value.template.flavor
  key_pair          = var.key_pair
  security_groups   = var.security_groups
  user_data         = contains(keys(each.value.template), "user_data") ? var.user_data[each.value.template.user_data] : null
  metadata          = merge(var.metadata, { cluster = var.name, stackpolicy_generation = each.value.generation })

  network {
    name = var.network_name
  }

  dynamic "scheduler_hints" {
    for_each = var.affinity == null ? [] : [stackpolicy_affinity_attachment.cluster[local.group_of[each.key]]]
    content {
      group = scheduler_hints.value.servergroup_id
    }
  }

  # A server cannot change its group. When the group changes (another policy, or
  # somebody deleted it), other scheduler hints would replace all servers of the
  # region at once; ignored, they are for new servers.
  #
  # A node that takes the place of another is created before that is drained and
  # destroyed.
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [scheduler_hints]
  }
}

# It refers to the server, so Terraform destroys it first: that is when the node
# is drained. A server that never was in service is not: else a fix of a bad image
# would wait for hooks that nobody answers.
resource "stackpolicy_deletion_attachment" "node" {
  for_each        = openstack_compute_instance_v2.node
  server_id       = each.value.id
  region          = each.value.region
  cluster         = var.name
  node_name       = each.key
  shutdown        = var.drain.shutdown
  grace_period    = var.drain.grace_period
  only_in_service = true

  dynamic "hook" {
    for_each = var.drain.hook == null ? [] : [var.drain.hook]
    content {
      type           = hook.value.type
      queue          = hook.value.queue
      url            = hook.value.url
      command        = hook.value.command
      timeout        = hook.value.timeout
      default_result = hook.value.default_result
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

# An apply waits here until the new servers are in service. It refers to the
# deletion attachments, so that each new server has its own before, and old ones
# are destroyed after. If a new server does not get into service, nothing old is
# drained or destroyed.
resource "stackpolicy_readiness_attachment" "cluster" {
  cluster = var.name
  servers = { for name, node in stackpolicy_deletion_attachment.node : name => {
    id      = node.server_id
    region  = node.region
    address = openstack_compute_instance_v2.node[name].access_ip_v4
    mark    = local.nodes[name].mark
  } if !local.nodes[name].closed }
  stable_for = var.readiness.stable_for
  timeout    = var.readiness.timeout

  dynamic "http" {
    for_each = var.readiness.http == null ? [] : [var.readiness.http]
    content {
      url    = http.value.url
      status = http.value.status
    }
  }

  dynamic "tcp" {
    for_each = var.readiness.tcp == null ? [] : [var.readiness.tcp]
    content {
      port = tcp.value.port
    }
  }

  dynamic "hook" {
    for_each = var.readiness.hook == null ? [] : [var.readiness.hook]
    content {
      type           = hook.value.type
      queue          = hook.value.queue
      url            = hook.value.url
      command        = hook.value.command
      timeout        = hook.value.timeout
      default_result = hook.value.default_result
    }
  }
}
