variable "size" {
  type    = number
  default = 6
}

# Regions to close for now, because they cannot be reached.
variable "regions_down" {
  type    = set(string)
  default = []
}

locals {
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }] },
  ]
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions          = [for region in local.regions : merge(region, { closed = contains(var.regions_down, region.name) })]
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region # one provider block serves all regions
  availability_zone = each.value.zone
  image_name        = "debian-12" # by name: each region has its own ids
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}
