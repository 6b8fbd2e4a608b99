resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 4
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]
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

# Before a server is destroyed it is shut down, and 30 seconds pass.
resource "stackpolicy_deletion_attachment" "web" {
  for_each     = openstack_compute_instance_v2.web
  server_id    = each.value.id
  region       = each.value.region
  node_name    = each.key
  cluster      = "web"
  grace_period = "30s"
}
