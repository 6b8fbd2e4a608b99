# Needed for one apply; remove this file afterwards. A removed block names no
# single instance, so the server gets an address of its own first.

moved {
  from = openstack_compute_instance_v2.web["web-1"]
  to   = openstack_compute_instance_v2.kept
}

removed {
  from = openstack_compute_instance_v2.kept

  lifecycle {
    destroy = false
  }
}
