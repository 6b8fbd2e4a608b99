# Nodes whose service does not answer are replaced, one with each apply.
resource "stackpolicy_placement_attachment" "shop" {
  cluster          = "shop"
  desired_capacity = 6
  region           = "RegionOne"
  zones            = [{ name = "az-1" }, { name = "az-2" }]

  health {
    grace = "10m"
    http {
      url = "http://{address}:8080/health"
    }
  }

  update {
    causes         = ["UNHEALTHY"]
    max_batch_size = 1
  }
}

resource "openstack_compute_instance_v2" "shop" {
  for_each          = stackpolicy_placement_attachment.shop.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }

  lifecycle {
    create_before_destroy = true
  }
}
