locals {
  # The policies as they were written for Senlin. A cluster has those that have a file.
  files = {
    for name in ["region", "zone", "affinity", "deletion"] :
    name => yamldecode(file("${path.module}/policies/${name}.yaml")) if fileexists("${path.module}/policies/${name}.yaml")
  }

  # Senlin took properties and hooks without a value for none.
  region   = try(coalesce(local.files.region.properties), {})
  zone     = try(coalesce(local.files.zone.properties), {})
  affinity = try(coalesce(local.files.affinity.properties), {})
  deletion = try(coalesce(local.files.deletion.properties), {})
  listed   = try(coalesce(local.region.regions), [])
  zones    = try(coalesce(local.zone.zones), [])
  hooks    = try(coalesce(local.deletion.hooks), {})

  # A hook of Senlin's default type, zaqar, does nothing without a queue.
  webhook = try(local.hooks.type == "webhook", false)
  queued  = !local.webhook && length(compact(try(values(local.hooks.params), []))) > 0

  grouped = contains(keys(local.files), "affinity")
  drs     = try(local.affinity.enable_drs_extension, false)
  in_zone = try(local.affinity.availability_zone, null)

  # Both placement policies in one list: the zones go into each region, or into the provider's.
  regions = [for r in coalescelist(local.listed, [{}]) : merge(r, { for k, z in { zones = local.zones } : k => z if length(z) > 0 })]
  names   = length(local.listed) > 0 ? local.listed[*].name : keys(stackpolicy_placement_attachment.web.distribution)

  # All keys of the files, except for those of regions and zones, which the attachment checks.
  keys = concat(
    [for k in try(keys(local.region), []) : "region: ${k}"],
    [for k in try(keys(local.zone), []) : "zone: ${k}"],
    [for k in try(keys(local.affinity), []) : "affinity: ${k}"],
    [for k in try(keys(local.affinity.servergroup), []) : "affinity: servergroup.${k}"],
    [for k in try(keys(local.deletion), []) : "deletion: ${k}"],
    [for k in keys(local.hooks) : "deletion: hooks.${k}"],
    [for k in try(keys(local.hooks.params), []) : "deletion: hooks.params.${k}"],
  )
  carried = [
    "region: regions", "zone: zones",
    "affinity: availability_zone", "affinity: enable_drs_extension",
    "affinity: servergroup", "affinity: servergroup.name", "affinity: servergroup.policies",
    "deletion: criteria", "deletion: destroy_after_deletion", "deletion: grace_period", "deletion: reduce_desired_capacity",
    "deletion: hooks", "deletion: hooks.type", "deletion: hooks.timeout", "deletion: hooks.params",
    "deletion: hooks.params.queue", "deletion: hooks.params.url",
  ]
  others = setsubtract(local.keys, local.carried)
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions          = local.regions
  deletion { criteria = try(local.deletion.criteria, null) }

  lifecycle {
    precondition {
      condition     = length(local.others) == 0
      error_message = "These keys of the policy files are misspelled, or not carried over: ${join(", ", local.others)}."
    }
    precondition {
      condition     = length(local.zones) == 0 || (local.in_zone == null && !local.drs)
      error_message = "The zone policy spreads nodes over zones, and the affinity policy puts all of them into one: keep one of both."
    }
    precondition {
      condition     = try(local.deletion.destroy_after_deletion, true)
      error_message = "destroy_after_deletion: false is not carried over: see Keep the server in the guide Draining nodes."
    }
    precondition {
      condition     = !local.queued
      error_message = "A hook of type zaqar is not carried over: write type: webhook and the url of a service that drains the node and answers when it is done."
    }
  }
}

# A server group belongs to a region. Without an affinity policy there is none.
resource "stackpolicy_affinity_attachment" "web" {
  for_each = toset(local.grouped ? local.names : [])

  region               = each.key
  availability_zone    = local.in_zone
  enable_drs_extension = local.drs
  servergroup {
    name     = try(local.affinity.servergroup.name, null) # a group of that name is inherited
    policies = try(local.affinity.servergroup.policies, null)
  }
}

resource "openstack_compute_instance_v2" "web" {
  for_each = stackpolicy_placement_attachment.web.nodes

  name              = each.key
  region            = each.value.region
  availability_zone = try(coalesce(each.value.zone), stackpolicy_affinity_attachment.web[each.value.region].zone, null)
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
  dynamic "scheduler_hints" {
    for_each = local.grouped ? [stackpolicy_affinity_attachment.web[each.value.region]] : []
    content {
      group = scheduler_hints.value.servergroup_id
    }
  }
  lifecycle {
    ignore_changes = [scheduler_hints]
  }
}

# Before a node is removed: the hook, then the grace period.
resource "stackpolicy_deletion_attachment" "web" {
  for_each = openstack_compute_instance_v2.web

  server_id    = each.value.id
  region       = each.value.region
  cluster      = "web"
  node_name    = each.key
  grace_period = try(local.deletion.grace_period, null)

  dynamic "hook" {
    for_each = local.webhook ? [local.hooks] : []
    content {
      type           = "webhook"
      url            = try(hook.value.params.url, null)
      timeout        = try(max(1, hook.value.timeout), null) # Senlin took 0 for not waiting
      default_result = "CONTINUE"                            # as in Senlin: the node is removed when the time is over
    }
  }
}

# The same policies as plans, of the servers that exist. A property that a
# spec leaves out is null here, which is the default, as it was in Senlin.
data "stackpolicy_cluster" "web" {
  regions    = local.names
  name_regex = "^web-"
}

data "stackpolicy_region_plan" "shrink" {
  nodes   = data.stackpolicy_cluster.web.nodes
  regions = [for i, r in local.regions : merge(r, { name = local.names[i] })]
  scale_in { count = 2 }
}

data "stackpolicy_deletion_plan" "shrink" {
  nodes                   = data.stackpolicy_cluster.web.nodes
  criteria                = try(local.deletion.criteria, null)
  destroy_after_deletion  = try(local.deletion.destroy_after_deletion, null)
  grace_period            = try(local.deletion.grace_period, null)
  reduce_desired_capacity = try(local.deletion.reduce_desired_capacity, null)
  decision                = { deletion = data.stackpolicy_region_plan.shrink.deletion }
}

output "removed" {
  value = flatten(data.stackpolicy_deletion_plan.shrink.deletion[*].names)
}

output "deletion" {
  value = data.stackpolicy_deletion_plan.shrink.deletion
}

output "distribution" {
  value = stackpolicy_placement_attachment.web.distribution
}
