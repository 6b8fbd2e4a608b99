locals {
  written = [
    { name = "RegionOne", weight = 100, zones = [{ name = "az-1" }, { name = "az-2", cap = 3 }] },
    { name = "RegionTwo" },
  ]
  keys = ["name", "weight", "cap", "min", "closed", "template", "image", "flavors", "user_data"]
  misspelled = concat(
    flatten([for r in local.written : setsubtract(keys(r), concat(local.keys, ["zones"]))]),
    flatten([for r in local.written : [for z in try(r.zones, []) : setsubtract(keys(z), local.keys)]]),
  )
}

check "regions" {
  assert {
    condition     = length(local.misspelled) == 0
    error_message = "A region or a zone has keys that the provider does not have: ${join(", ", local.misspelled)}."
  }
}

resource "stackpolicy_placement_attachment" "checked" {
  cluster          = "checked"
  desired_capacity = 3
  regions          = local.written
}
