resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 4
  zones            = [{ name = "az-1" }, { name = "az-2" }]
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  availability_zone = each.value.zone
  image_name        = "ubuntu-24.04"
  flavor_name       = "m1.small"

  network {
    name = "web"
  }
}

resource "openstack_lb_member_v2" "web" {
  for_each      = openstack_compute_instance_v2.web
  pool_id       = var.pool_id
  address       = each.value.access_ip_v4
  protocol_port = 80
}

# Before a node goes: the drainer takes it out of the load balancer and answers
# 202 until its last connection is closed, for ten minutes at most. Then the
# server is shut down, has 30 seconds of grace, and is destroyed.
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key
  cluster   = "web"

  hook {
    type           = "webhook"
    url            = var.drainer_url
    timeout        = 600
    default_result = "ABANDON"
  }
  shutdown     = true
  grace_period = 30

  # The member outlives the hook: Terraform destroys what refers to another
  # resource before it, so this is drained while it still is in the pool.
  depends_on = [openstack_lb_member_v2.web]
}

variable "pool_id" {
  description = "Pool of the load balancer."
  type        = string
}

variable "drainer_url" {
  description = "Address of the service that drains nodes. It may have a secret in it."
  type        = string
  sensitive   = true
}
