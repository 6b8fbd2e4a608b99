resource "stackpolicy_affinity_attachment" "db" {
  servergroup {
    name = "db"
  }
}

# With which scheduler hints do two more servers join the group? A warning says
# when the quota of members per group, or the hosts in the zone, are not enough.
data "stackpolicy_affinity_plan" "grow" {
  servergroup_id    = stackpolicy_affinity_attachment.db.servergroup_id
  availability_zone = "az-1"
  scale_out { count = 2 }
}

# One entry for each node, such as { servergroup = "5d1a2f04-…", zone = "az-1" }.
output "placements" {
  value = data.stackpolicy_affinity_plan.grow.placement.placements
}

# Members that share a host, as after an evacuation.
output "violations" {
  value = data.stackpolicy_affinity_plan.grow.violations
}
