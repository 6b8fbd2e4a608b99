# Server groups. Nova limits the members of a group: a zone has one, or above the limit one for each block of indexes. A server that is
# made again may change its group, and no group has more members than Nova takes.
locals {
  places = { for name, slot in stackpolicy_placement_attachment.cluster.slots : join("/", [slot.region, coalesce(slot.zone, "any")]) => name... }

  group_of = { for name, slot in stackpolicy_placement_attachment.cluster.slots : name => join("/", [
    slot.region, coalesce(slot.zone, "any"),
    length(local.places[join("/", [slot.region, coalesce(slot.zone, "any")])]) > var.servergroup_size ? floor(slot.index / var.servergroup_size) : "all",
  ]) }
}

resource "stackpolicy_affinity_attachment" "cluster" {
  for_each = var.servergroup_policies == null ? [] : toset(values(local.group_of))
  region   = split("/", each.key)[0]

  servergroup {
    name                = join("-", compact(concat([var.cluster], [for part in slice(split("/", each.key), 1, 3) : part == "any" ? "" : part])))
    policies            = var.servergroup_policies
    max_server_per_host = var.max_server_per_host
  }
}
