data "stackpolicy_cluster" "web" {
  regions    = ["RegionOne", "RegionTwo"]
  name_regex = "^web-"
}

# Where do three more nodes go, if RegionTwo is to have two of every three and
# RegionOne can hold no more than 150?
data "stackpolicy_region_plan" "grow" {
  nodes     = data.stackpolicy_cluster.web.nodes
  scale_out = { count = 3 }
  regions = [
    { name = "RegionOne", weight = 100, cap = 150 },
    { name = "RegionTwo", weight = 200 },
  ]
}

# A table: each region with its nodes now and after, its ideal share and its cap.
output "summary" {
  value = data.stackpolicy_region_plan.grow.summary
}
