data "stackpolicy_cluster" "web" {
  name_regex = "^web-"
}

# From which zones do three nodes go?
data "stackpolicy_zone_plan" "shrink" {
  nodes    = data.stackpolicy_cluster.web.nodes
  scale_in = { count = 3 }
  zones    = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }]
}

# And which ones? In each zone those that are not well go first, then the oldest.
data "stackpolicy_deletion_plan" "shrink" {
  nodes     = data.stackpolicy_cluster.web.nodes
  criteria  = "OLDEST_FIRST"
  protected = ["web-0"]
  decision  = { deletion = data.stackpolicy_zone_plan.shrink.deletion }
}

output "candidates" {
  value = data.stackpolicy_deletion_plan.shrink.deletion.candidates
}
