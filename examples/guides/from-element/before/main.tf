locals {
  places = [
    { region = "RegionOne", zone = "az-1" },
    { region = "RegionOne", zone = "az-2" },
    { region = "RegionOne", zone = "az-3" },
    { region = "RegionTwo", zone = "az-1" },
    { region = "RegionTwo", zone = "az-2" },
  ]
}

resource "openstack_compute_instance_v2" "web" {
  count             = 6
  name              = "web-${count.index}"
  region            = element(local.places, count.index).region
  availability_zone = element(local.places, count.index).zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}
