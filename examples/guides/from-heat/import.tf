# Needed for one apply; remove this file afterwards.
variable "servers" {
  description = "Ids of the servers, by name."
  type        = map(string)
}

import {
  to = module.web.stackpolicy_placement_attachment.cluster
  id = "web"
}

import {
  for_each = { for name, id in var.servers : name => id if startswith(name, "web-") }
  to       = module.web.openstack_compute_instance_v2.node[each.key]
  id       = each.value
}

import {
  to = module.workers.stackpolicy_placement_attachment.cluster
  id = "workers"
}

import {
  for_each = { for name, id in var.servers : name => id if startswith(name, "workers-") }
  to       = module.workers.openstack_compute_instance_v2.node[each.key]
  id       = each.value
}
