# Networks. A node keeps the ones in its template, so that another network comes with another server. This file is the same in "cluster" and
# "stateful".
locals {
  # Each with a label: its name, or its number in the list where it has only an id. A value may be known only after the apply, and so are try and
  # can of it: only keys are asked for.
  networks = [for i, n in var.networks : merge(concat([{ name = tostring(i) }], [
    for o in [n] : o if can(n.name) ? true : can(n.id)], [for o in [n] : { name = tostring(o) } if !(can(n.name) ? true : can(n.id))
  ])...)]

  ported = ["port", "subnet_id", "addresses", "allowed_address_pairs", "security_group_ids", "floating_ip_pool", "floating_ips"]
  placed = anytrue([for n in local.networks : can(n.regions) || can(n.zones)])
  places = distinct(concat([""], flatten([for r in var.regions : concat([r.name], [for z in try(r.zones, null)[*] : "${r.name}/${z.name}"])])))

  # Their part of the template, for all places ("") and by place. Ids are not in it: they may be known only after an apply.
  nics_at = { for place in local.places : place => [for n in local.networks :
    { for key, value in {
      name  = n.name
      by    = contains(keys(n), "id") ? "id" : null
      port  = try(n.port, anytrue([for k in keys(n) : contains(local.ported, k)])) ? "own" : null
      pool  = try(n.floating_ip_pool, null)
      given = contains(keys(n), "floating_ips") ? local.given : null
    } : key => value if value != null }
    if place == "" ||
    try(contains(n.regions, split("/", place)[0]), true) && try(contains(n.zones, place) || contains(n.zones, split("/", place)[1]), !can(n.zones))
  ] }
  networks_at = { for place, nics in local.nics_at : place => (
    alltrue([for n in nics : length(n) == 1 && !strcontains(n.name, ",")]) ? join(",", nics[*].name) : jsonencode(nics)
  ) }

  # The places, each with its networks in its template where they differ.
  regions = [for r in var.regions : merge(r, { for key, value in {
    template = { networks = local.networks_at[r.name] }
    zones    = [for z in try(r.zones, null)[*] : merge(z, { for k, v in { template = { networks = local.networks_at["${r.name}/${z.name}"] } } : k => v if local.placed })]
  } : key => value if key == "zones" ? can(r.zones) : local.placed })]

  # Places without a network, and networks that a place has twice.
  unconnected = compact(concat(
    [for place, nics in local.nics_at : length(nics) == 0 && length([for p in local.places : p if startswith(p, "${place}/")]) == 0 ? "networks has none for ${place}" : ""],
    [for place, nics in local.nics_at : place != "" && length(distinct(nics[*].name)) < length(nics) ? "networks has one twice for ${place}" : ""],
  ))
}
