# A member is made when its server is in service, because it depends on the readiness attachment, and leaves before its node is drained: also
# when the server is made again.
resource "openstack_lb_member_v2" "node" {
  for_each = merge([for pool, p in var.pools : {
    for name, node in local.nodes : "${name}/${pool}" => merge({ node = name, subnet_id = null, monitor_address = null, monitor_port = null, backup = null }, p) if node.region == p.region
  }]...)
  name            = each.value.node
  region          = each.value.region
  pool_id         = each.value.pool_id
  address         = local.address[each.value.node]
  protocol_port   = each.value.protocol_port
  subnet_id       = each.value.subnet_id
  monitor_address = each.value.monitor_address
  monitor_port    = each.value.monitor_port
  backup          = each.value.backup
  depends_on      = [stackpolicy_readiness_attachment.cluster]

  lifecycle {
    ignore_changes = [weight, admin_state_up, tags] # that somebody sets by hand
  }
}
