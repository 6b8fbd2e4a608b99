data "openstack_compute_availability_zones_v2" "all" {
  for_each = toset(["available", "unavailable"])
  region   = "RegionOne"
  state    = each.key
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions = [{
    name  = "RegionOne"
    zones = [for name in sort(flatten(values(data.openstack_compute_availability_zones_v2.all)[*].names)) : { name = name }]
  }]
}
