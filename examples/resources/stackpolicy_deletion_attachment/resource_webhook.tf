# Or a service, which answers 202 until the node is drained.
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
}

variable "drainer_url" {
  type      = string
  sensitive = true
}
