# A group named "db" is inherited if there is one with this policy, and stays
# when the attachment is destroyed. Otherwise it is created, and deleted with the
# attachment. On each host there is at most one of its servers.
resource "stackpolicy_affinity_attachment" "db" {
  servergroup {
    name     = "db"
    policies = "anti-affinity"
  }
}

resource "openstack_compute_instance_v2" "db" {
  count       = 3
  name        = "db-${count.index}"
  image_name  = "debian-12"
  flavor_name = "m1.large"

  network {
    name = "db"
  }

  scheduler_hints {
    group = stackpolicy_affinity_attachment.db.servergroup_id
  }

  # New servers get the hints, and servers that exist are not replaced when the
  # group changes.
  lifecycle {
    ignore_changes = [scheduler_hints]
  }
}
