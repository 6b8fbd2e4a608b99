# Where each node belongs. It is remembered: growing and shrinking move no node
# that stays.
resource "stackpolicy_placement_attachment" "cluster" {
  cluster          = var.name
  desired_capacity = var.size
  min_size         = var.min_size
  max_size         = var.max_size
  regions          = var.regions
  deletion         = var.deletion
}

locals {
  nodes = stackpolicy_placement_attachment.cluster.nodes

  # A server group belongs to a region. There is one wherever nodes are, also in
  # a region that is no longer listed and still has some.
  grouped_regions = var.affinity == null ? [] : distinct([for node in local.nodes : node.region])
}

resource "stackpolicy_affinity_attachment" "cluster" {
  for_each = toset(local.grouped_regions)
  region   = each.key

  servergroup {
    name     = var.name
    policies = var.affinity
  }
}

resource "openstack_compute_instance_v2" "node" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = var.image_name
  flavor_name       = var.flavor_name
  key_pair          = var.key_pair
  security_groups   = var.security_groups
  user_data         = var.user_data
  metadata          = merge(var.metadata, { cluster = var.name })

  network {
    name = var.network_name
  }

  dynamic "scheduler_hints" {
    for_each = var.affinity == null ? [] : [stackpolicy_affinity_attachment.cluster[each.value.region]]
    content {
      group = scheduler_hints.value.servergroup_id
    }
  }

  # A new image or new user data is for new nodes: it would rebuild or replace
  # all servers at once. Name the old nodes in deletion.candidates, a few at a
  # time, and each is drained and replaced.
  #
  # A server cannot change its group. When the group changes (another policy, or
  # somebody deleted it), other scheduler hints would replace all servers of the
  # region at once; ignored, they are for new servers.
  lifecycle {
    ignore_changes = [image_name, user_data, scheduler_hints]
  }
}

# It refers to the server, so Terraform destroys it first: that is when the node
# is drained.
resource "stackpolicy_deletion_attachment" "node" {
  for_each     = openstack_compute_instance_v2.node
  server_id    = each.value.id
  region       = each.value.region
  cluster      = var.name
  node_name    = each.key
  shutdown     = var.drain.shutdown
  grace_period = var.drain.grace_period

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
}
