resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 4
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}

output "nodes" {
  value = stackpolicy_placement_attachment.web.nodes
}
