# All servers named web-..., in two regions.
data "stackpolicy_cluster" "web" {
  regions    = ["RegionOne", "RegionTwo"]
  name_regex = "^web-"
}

output "size" {
  value = data.stackpolicy_cluster.web.size
}

# Number of servers by region and zone, such as { RegionOne = { az-1 = 2, az-2 = 1 } }.
output "distribution" {
  value = data.stackpolicy_cluster.web.distribution
}
