# Networks. A node keeps the ones in its template, so that another network comes with another server. This file is the same in "cluster" and
# "stateful".
locals {
  # Each with a label: its name, or its number in the list where it has only an id. A value may be known only after the apply, and so are try and
  # can of it: only keys are asked for.
  networks = [for i, n in var.networks : merge(concat([{ name = tostring(i) }], [
    for o in [n] : o if can(n.name) ? true : can(n.id)], [for o in [n] : { name = tostring(o) } if !(can(n.name) ? true : can(n.id))
  ])...)]

  ported = ["port", "subnet_id", "addresses", "allowed_address_pairs", "security_group_ids", "port_security_enabled", "floating_ip_pool", "floating_ips"]
  placed = anytrue([for n in local.networks : can(n.regions) || can(n.zones)])
  places = distinct(concat([""], flatten([for r in var.regions : concat([r.name], [for z in(contains(keys(r), "zones") ? r.zones : null)[*] : "${r.name}/${z.name}"])])))

  # The networks of all places ("") and by place.
  networks_of = { for place in local.places : place => [for n in local.networks : n if place == "" ||
    try(contains(n.regions, split("/", place)[0]), true) && try(contains(n.zones, place) || contains(n.zones, split("/", place)[1]), !can(n.zones))
  ] }

  # Their part of the template: what is known while planning, so that ports are made by it, and the settings, which may not be.
  nics_at = { for place, networks in local.networks_of : place => [for n in networks :
    { for key, value in {
      name  = n.name
      by    = contains(keys(n), "id") ? "id" : null
      port  = try(n.port, anytrue([for k in keys(n) : contains(local.ported, k)])) ? "own" : null
      pool  = try(n.floating_ip_pool, null)
      given = contains(keys(n), "floating_ips") ? local.given : null
    } : key => value if value != null }
  ] }
  networks_at = { for place, nics in local.nics_at : place => (
    alltrue([for n in nics : length(n) == 1 && !strcontains(n.name, ",")]) ? join(",", nics[*].name) : jsonencode(nics)
  ) }

  set         = anytrue([for n in local.networks : length(setintersection(keys(n), local.settable)) > 0])
  settings_at = { for place, networks in local.networks_of : place => jsonencode(merge([for n in networks : { (n.name) = { for key, value in n : key => value if contains(local.settable, key) } }]...)) }
  template_at = { for place in local.places : place => merge({ networks = local.networks_at[place] }, { for key in ["network_settings"] : key => local.settings_at[place] if local.set }) }

  # The places, each with its networks in its template where they differ.
  regions = [for r in var.regions : merge(r, { for key, value in {
    template = local.template_at[r.name]
    zones    = [for z in(contains(keys(r), "zones") ? r.zones : null)[*] : merge(z, { for k in ["template"] : k => local.template_at["${r.name}/${z.name}"] if local.placed })]
  } : key => value if key == "zones" ? contains(keys(r), "zones") : local.placed })]

  # Places without a network, and networks that a place has twice.
  unconnected = compact(concat(
    [for place, nics in local.nics_at : length(nics) == 0 && length([for p in local.places : p if startswith(p, "${place}/")]) == 0 ? "networks has none for ${place}" : ""],
    [for place, nics in local.nics_at : place != "" && length(distinct(nics[*].name)) < length(nics) ? "networks has one twice for ${place}" : ""],
  ))
}
