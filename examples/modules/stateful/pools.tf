# A member is made when its server is in service, because it depends on the readiness attachment, and leaves before its
# node is drained: also when the server is made again, whose id is unknown then. A server listens at one port for life:
# the node remembers it.
resource "openstack_lb_member_v2" "node" {
  for_each = merge([for name, node in local.nodes : {
    for p in node.pools : "${name}/${p.name}" => merge(p, { node = name, region = node.region })
  }]...)
  name            = each.value.node
  region          = each.value.region
  pool_id         = var.pools[each.value.name].pool_id
  address         = local.servers[each.value.node].id == "" ? "" : local.address[each.value.node]
  protocol_port   = each.value.protocol_port
  subnet_id       = each.value.subnet_id
  monitor_address = each.value.monitor_address
  monitor_port    = each.value.monitor_port
  backup          = each.value.backup
  depends_on      = [stackpolicy_readiness_attachment.cluster]

  lifecycle {
    ignore_changes = [
      protocol_port, subnet_id, monitor_address, monitor_port, # what the server was made for
      weight, admin_state_up, tags,                            # what somebody sets by hand
    ]
  }
}
