# Server groups. Nova limits the members of a group, so a place has one, or as many as hold its nodes and those that a
# batch adds. A node remembers its place, the policy, and how many groups that had when its server was made: a group
# stays as long as a server may be in it, after a shrink, a migration and a change of the policy too. A new server takes
# the first group with room. This file is the same in "cluster" and "stateful".
locals {
  size = coalesce(var.desired_capacity, length(local.nodes))
  batch = try(tonumber(local.max_batch_size), max(1, floor(
    local.size * tonumber(trimsuffix(local.max_batch_size, "%")) / 100,
  )), 1)

  policies   = coalesce(local.given.servergroup.policies, "soft-anti-affinity")
  policy     = join(":", compact([local.policies, local.given.servergroup.max_server_per_host]))
  group_size = coalesce(local.given.servergroup.size, 10)
  group_ids  = merge({}, local.given.servergroup.ids)

  # The command "terraform import" knows no resource that has no state yet. Until the first plan after it, nodes have
  # the id of an image alone.
  planned = alltrue([for node in local.nodes : node.image != null])

  # The nodes of each place, the newest first: those are without a server.
  place_of = { for name, node in local.nodes : name => "${node.region}/${coalesce(node.zone, "any")}" }
  nodes_at = { for name, node in local.nodes :
    local.place_of[name] => format("%08d %s", 99999999 - node.index, name)...
  }

  # A place in a group for each member that it has room for.
  room = { for place in keys(local.nodes_at) : place => flatten([
    for key, group in stackpolicy_affinity_attachment.cluster : [
      for i in range(max(0, local.group_size - length(group.members))) : group.servergroup_id
    ] if startswith(key, "${place}/") && endswith(key, "/${local.policy}")
  ]) }

  group_of = merge([for place, nodes in local.nodes_at : {
    for i, node in sort(nodes) :
    substr(node, 9, -1) => try(local.room[place][i % length(local.room[place])], null)
  }]...)
  grouped = local.policies != "none" && length(local.group_ids) == 0
  hints = { for name, node in local.nodes : name => local.grouped ? [local.group_of[name]] : [
    for region, id in local.group_ids : id if region == node.region
  ] }

  # How many groups a place needs now.
  needs = { for place, nodes in local.nodes_at : place => ceil((length(nodes) + local.batch) / local.group_size) }

  # The nodes remember these: place, number of groups, policy.
  memories = distinct([
    for memory in flatten([for all in local.planned ? [terraform_data.generation] : [] : values(all)]) :
    memory.input if memory.input != ""
  ])
}

# A new generation of a node makes its server again, which remembers the groups then.
resource "terraform_data" "generation" {
  for_each         = local.nodes
  triggers_replace = each.value.generation
  input = !local.grouped ? "" : join("/", [
    local.place_of[each.key], local.needs[local.place_of[each.key]], local.policy,
  ])

  lifecycle {
    ignore_changes = [input]
  }
}

resource "stackpolicy_affinity_attachment" "cluster" {
  for_each = toset(flatten([for memory in [for text in local.memories : split("/", text)] : [
    for i in range(memory[2]) : join("/", [memory[0], memory[1], i, memory[3]])
  ]]))
  region = split("/", each.key)[0]

  servergroup {
    name = join("-", [for part in concat([var.cluster], slice(split("/", each.key), 1, 4)) :
      part if !contains(["any", "soft-anti-affinity"], part)
    ])
    policies            = split(":", split("/", each.key)[3])[0] # as it was when its nodes were made
    max_server_per_host = try(tonumber(split(":", each.key)[1]), null)
  }

  # A renamed cluster keeps its groups, and so its servers keep theirs.
  lifecycle {
    ignore_changes = [servergroup.name]
  }
}
