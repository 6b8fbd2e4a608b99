# Or a service: it takes the node out of the load balancer and answers 202 until
# its last connection is closed, for ten minutes at most. Requests are signed with
# the secret in STACKPOLICY_WEBHOOK_SECRET.
resource "stackpolicy_deletion_attachment" "balanced" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key
  cluster   = "web"

  hook {
    type           = "webhook"
    url            = var.drainer_url
    timeout        = "10m"
    default_result = "ABANDON"
  }

  # Terraform destroys what depends on another resource before it, so the node
  # is drained while its member still exists.
  depends_on = [openstack_lb_member_v2.web]
}

resource "openstack_lb_member_v2" "web" {
  for_each      = openstack_compute_instance_v2.web
  pool_id       = var.pool_id
  address       = each.value.access_ip_v4
  protocol_port = 80
}

variable "pool_id" {
  description = "Pool of the load balancer."
  type        = string
}

variable "drainer_url" {
  description = "Address of the service that drains nodes. It may contain a secret."
  type        = string
  sensitive   = true
}
