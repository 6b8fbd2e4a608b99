# Server groups. Nova limits the members of a group, so a zone has one, or as many as hold its nodes and those that a batch adds before
# others leave. A new server takes the first group with room: the nodes of a zone stay together, however many rollouts there were.
locals {
  batch = try(tonumber(var.max_batch_size), ceil(var.desired_capacity * tonumber(trimsuffix(var.max_batch_size, "%")) / 100))

  # The nodes of each place, also of one that is no longer listed: the newest first, since those are the ones without a server.
  places = { for name, node in local.nodes : join("/", [node.region, coalesce(node.zone, "any")]) => format("%08d %s", 99999999 - node.index, name)... }

  groups = var.servergroup_policies == null ? {} : merge([for place, nodes in local.places : {
    for i in range(ceil((length(nodes) + local.batch) / var.servergroup_size)) : "${place}/${i}" => place
  }]...)

  # A place in a group for each member that it has room for.
  room = { for place in keys(local.places) : place => flatten([
    for key, group in stackpolicy_affinity_attachment.cluster : [
      for i in range(max(0, var.servergroup_size - length(group.members))) : group.servergroup_id
    ] if try(local.groups[key], "") == place
  ]) }

  group_of = merge([for place, nodes in local.places : {
    for i, node in sort(nodes) : split(" ", node)[1] => try(local.room[place][i % length(local.room[place])], null)
  }]...)
}

resource "stackpolicy_affinity_attachment" "cluster" {
  for_each = local.groups
  region   = split("/", each.value)[0]

  servergroup {
    name                = join("-", compact([var.cluster, replace(split("/", each.key)[1], "/^any$/", ""), split("/", each.key)[2]]))
    policies            = var.servergroup_policies
    max_server_per_host = var.max_server_per_host
  }
}
