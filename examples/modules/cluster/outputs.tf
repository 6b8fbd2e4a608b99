output "nodes" {
  description = "The nodes by name, each with the id and address of its server, its place, and the template that it is made from."
  value = {
    for name, server in openstack_compute_instance_v2.node : name => {
      id       = server.id
      ip       = server.access_ip_v4
      region   = server.region
      zone     = server.availability_zone
      template = local.nodes[name].template
    }
  }
}

output "distribution" {
  description = "Number of nodes by region and zone."
  value       = stackpolicy_placement_attachment.cluster.distribution
}

output "change" {
  description = "What the last resize changed: the nodes that were added, and those that were removed."
  value       = stackpolicy_placement_attachment.cluster.change
}

output "summary" {
  description = "The last resize as a table for people."
  value       = stackpolicy_placement_attachment.cluster.summary
}

output "remaining" {
  description = "Number of nodes that are still to be replaced. Apply again until it is 0."
  value       = stackpolicy_placement_attachment.cluster.remaining
}

output "servergroup_ids" {
  description = "Ids of the server groups, by region, zone and block of node indexes."
  value       = { for place, group in stackpolicy_affinity_attachment.cluster : place => group.servergroup_id }
}
