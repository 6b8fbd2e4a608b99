# Six nodes over two regions. RegionTwo gets two of every three, up to its cap.
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3", min = 1 }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }], weight = 200, cap = 12 },
  ]

  # When the cluster shrinks, the oldest nodes are removed, and web-3 never.
  deletion {
    criteria  = "OLDEST_FIRST"
    protected = ["web-3"]
  }
}

# One server for each node.
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

output "summary" {
  value = stackpolicy_placement_attachment.web.summary
}
