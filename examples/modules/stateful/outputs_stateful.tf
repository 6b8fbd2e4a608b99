# The outputs of this module alone.

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

output "slots" {
  description = "The slots by name, each with its index, region and zone, and whether a node is in use of it."
  value       = stackpolicy_placement_attachment.cluster.slots
}

output "volume_ids" {
  description = "Ids of the volumes, by slot and name."
  value = { for name, slot in local.slots : name => {
    for d in slot.disks : d.name => local.volume_ids["${name}/${d.name}"]
  } }
}

output "port_ids" {
  description = "Ids of the ports, by slot and network."
  value = { for name, slot in local.slots : name => {
    for n in slot.networks : n.name => local.port_ids["${name}/${n.name}"]
  } }
}
