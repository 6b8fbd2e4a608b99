locals {
  # What the policies say, as it was written for Senlin.
  region   = yamldecode(file("${path.module}/policies/region.yaml")).properties
  zone     = yamldecode(file("${path.module}/policies/zone.yaml")).properties
  affinity = yamldecode(file("${path.module}/policies/affinity.yaml")).properties
  deletion = yamldecode(file("${path.module}/policies/deletion.yaml")).properties

  # Both placement policies in one list: the zones go into each region.
  regions = [for r in local.region.regions : merge(r, { zones = local.zone.zones })]
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions          = local.regions
  deletion { criteria = lookup(local.deletion, "criteria", null) }
}

resource "stackpolicy_affinity_attachment" "web" {
  for_each = toset(local.regions[*].name)

  region = each.key
  servergroup {
    name     = "${local.affinity.servergroup.name}-${each.key}"
    policies = local.affinity.servergroup.policies
  }
}

# The same policies as plans. What a spec leaves out is null here, which is the
# default, as it was in Senlin.
data "stackpolicy_cluster" "web" {
  regions    = local.regions[*].name
  name_regex = "^web-"
}

data "stackpolicy_region_plan" "shrink" {
  nodes   = data.stackpolicy_cluster.web.nodes
  regions = local.regions
  scale_in { count = 2 }
}

data "stackpolicy_deletion_plan" "shrink" {
  nodes                   = data.stackpolicy_cluster.web.nodes
  criteria                = lookup(local.deletion, "criteria", null)
  destroy_after_deletion  = lookup(local.deletion, "destroy_after_deletion", null)
  grace_period            = lookup(local.deletion, "grace_period", null)
  reduce_desired_capacity = lookup(local.deletion, "reduce_desired_capacity", null)
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
