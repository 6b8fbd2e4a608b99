# Needed for one apply; remove this file afterwards.
variable "servers" {
  description = "Ids of the servers, by name."
  type        = map(string)
}

import {
  to = stackpolicy_placement_attachment.web
  id = "web"
}

import {
  for_each = var.servers
  to       = openstack_compute_instance_v2.web[each.key]
  id       = each.value
}
