data "stackpolicy_cluster" "web" {
  regions    = ["RegionOne", "RegionTwo"]
  name_regex = "^web-"
}

# Where do three more nodes go, if RegionTwo must have two of every three?
data "stackpolicy_region_plan" "grow" {
  nodes = data.stackpolicy_cluster.web.nodes
  regions = [
    { name = "RegionOne", weight = 100, cap = 150 },
    { name = "RegionTwo", weight = 200, zones = [{ name = "az-1" }, { name = "az-2" }] },
  ]
  scale_out { count = 3 }
}

# A table: each place with its nodes now and after, its ideal share and its cap.
output "summary" {
  value = data.stackpolicy_region_plan.grow.summary
}

# How many nodes a region gets. A value without a change is null or not listed.
output "new_in_region_two" {
  value = one([for c in data.stackpolicy_region_plan.grow.creation[*] : lookup(c.regions, "RegionTwo", 0)])
}
