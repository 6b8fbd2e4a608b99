resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 4
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
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

# It refers to the server, so Terraform destroys it first: that is when the node is
# drained.
resource "stackpolicy_deletion_attachment" "web" {
  for_each     = openstack_compute_instance_v2.web
  server_id    = each.value.id
  region       = each.value.region
  node_name    = each.key
  cluster      = "web"
  grace_period = "30s"

  lifecycle {
    create_before_destroy = true
  }
}

# New servers are in service when their health check has passed for 30 seconds.
# The servers that they replace are drained and destroyed after that, because this
# refers to the deletion attachments. They stay where they are if it does not
# happen within ten minutes.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web]
  stable_for = "30s"
  timeout    = "10m"

  http {
    url    = "http://{address}:8080/health?node={name}"
    status = "200-299"
  }
}
