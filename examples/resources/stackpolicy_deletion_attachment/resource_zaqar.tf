# Or a queue: a consumer takes messages from it, and deletes each when its node is
# drained.
resource "stackpolicy_deletion_attachment" "queued" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key
  cluster   = "web"

  hook {
    type           = "zaqar"
    queue          = "web-drain"
    timeout        = "15m"
    default_result = "ABANDON"
  }
}
