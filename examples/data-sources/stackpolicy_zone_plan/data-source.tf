data "stackpolicy_cluster" "web" {
  name_regex = "^web-"
}

# From which zones are nodes removed if the cluster shrinks by a quarter?
data "stackpolicy_zone_plan" "shrink" {
  nodes = data.stackpolicy_cluster.web.nodes
  zones = [
    { name = "az-1" },
    { name = "az-2", min = 1 },
    { name = "az-3", cap = 10 },
  ]
  resize {
    adjustment_type = "CHANGE_IN_PERCENTAGE"
    number          = -25
    min_size        = 2
  }
}

# Such as { count = 2, region = "RegionOne", zones = { az-1 = 1, az-3 = 1 } }. It
# is null where the plan removes nothing.
output "deletion" {
  value = data.stackpolicy_zone_plan.shrink.deletion
}
