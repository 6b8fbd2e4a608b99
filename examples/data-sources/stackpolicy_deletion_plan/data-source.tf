data "stackpolicy_cluster" "web" {
  name_regex = "^web-"
}

# From which zones are three nodes removed?
data "stackpolicy_zone_plan" "shrink" {
  nodes = data.stackpolicy_cluster.web.nodes
  zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }]
  scale_in { count = 3 }
}

# And which ones? In each zone unhealthy nodes first, then the oldest. If the
# zone plan removes nothing its deletion is null, and nothing is removed here.
data "stackpolicy_deletion_plan" "shrink" {
  nodes     = data.stackpolicy_cluster.web.nodes
  criteria  = "OLDEST_FIRST"
  protected = ["web-0"]
  decision  = { deletion = data.stackpolicy_zone_plan.shrink.deletion }
}

# The names, or none: [*] makes a list of what may be null, empty where it is.
output "names" {
  value = flatten(data.stackpolicy_deletion_plan.shrink.deletion[*].names)
}
