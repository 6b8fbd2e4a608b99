output "nodes" {
  description = "The nodes by name, each with its index, region, zone, template, generation and mark."
  value       = local.nodes
}

output "servers" {
  description = "The servers by the name of their node, each with its id, region and zone: for what hangs on them."
  value = { for name, server in local.servers : name => {
    id     = server.id
    region = server.region
    zone   = server.availability_zone
  } }
}

output "addresses" {
  description = "Address of each slot in its first network. It outlives the servers."
  value = { for name, slot in local.slots :
    name => local.own["${name}/${slot.networks[0].name}"]
    if length(slot.networks) > 0 # after an import the first plan brings them
  }
}

output "floating_ips" {
  description = "Floating address of each slot that has one. It outlives the servers."
  value       = local.floating
}

output "phase" {
  description = "What the cluster does, for programs: `in_step`, `behind`, `waits`, `paused`, `outdated` or `held`."
  value       = stackpolicy_placement_attachment.cluster.phase
}

output "status" {
  description = "The same for people, in one line."
  value       = stackpolicy_placement_attachment.cluster.status
}

output "remaining" {
  description = "Number of nodes that are still to be replaced. Apply again until it is 0."
  value       = stackpolicy_placement_attachment.cluster.remaining
}

output "held" {
  description = "What holds nodes that should be replaced, by reason."
  value       = stackpolicy_placement_attachment.cluster.held
}

output "moves" {
  description = "What the last plan did to nodes, in one line."
  value       = stackpolicy_placement_attachment.cluster.moves
}

output "summary" {
  description = "The spread as a table for people."
  value       = stackpolicy_placement_attachment.cluster.summary
}

output "distribution" {
  description = "Number of nodes by region and zone."
  value       = stackpolicy_placement_attachment.cluster.distribution
}

output "servergroup_ids" {
  description = "Ids of the server groups, by region, zone and number."
  value       = { for place, group in stackpolicy_affinity_attachment.cluster : place => group.servergroup_id }
}

output "slots" {
  description = "The slots by name, each with its index, region and zone, and whether a node is in use of it."
  value       = stackpolicy_placement_attachment.cluster.slots
}

output "volume_ids" {
  description = "Ids of the volumes, by slot and name."
  value = { for name, slot in local.slots : name => {
    for d in slot.disks : d.name => openstack_blockstorage_volume_v3.slot["${name}/${d.name}"].id
  } }
}

output "port_ids" {
  description = "Ids of the ports, by slot and network."
  value = { for name, slot in local.slots : name => {
    for n in slot.networks : n.name => openstack_networking_port_v2.slot["${name}/${n.name}"].id
  } }
}
