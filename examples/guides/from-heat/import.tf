# Needed for one apply; remove this file afterwards.
locals {
  ids = { for server in jsondecode(file("servers.json")) : server.Name => server.ID }
}

import {
  to = module.web.stackpolicy_placement_attachment.cluster
  id = "web"
}

import {
  for_each = { for name, id in local.ids : name => id if startswith(name, "web-") }
  to       = module.web.openstack_compute_instance_v2.node[each.key]
  id       = each.value
}

import {
  to = module.workers.stackpolicy_placement_attachment.cluster
  id = "workers"
}

import {
  for_each = { for name, id in local.ids : name => id if startswith(name, "workers-") }
  to       = module.workers.openstack_compute_instance_v2.node[each.key]
  id       = each.value
}
