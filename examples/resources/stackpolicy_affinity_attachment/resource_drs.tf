# A vSphere cluster with DRS is one host to Nova. The attachment finds it, which
# needs the rights of an admin, and zone is "az-2:vsphere_drs_1", for example.
# DRS keeps virtual machines apart inside the cluster; a hard anti-affinity of
# Nova's would allow only one server on this host.
resource "stackpolicy_affinity_attachment" "vsphere" {
  region               = "RegionTwo"
  enable_drs_extension = true

  servergroup {
    name     = "vsphere"
    policies = "affinity"
  }
}

resource "openstack_compute_instance_v2" "vsphere" {
  count             = 2
  name              = "vsphere-${count.index}"
  region            = "RegionTwo"
  availability_zone = stackpolicy_affinity_attachment.vsphere.zone
  image_name        = "debian-12"
  flavor_name       = "m1.large"

  network {
    name = "vsphere"
  }

  scheduler_hints {
    group = stackpolicy_affinity_attachment.vsphere.servergroup_id
  }

  lifecycle {
    ignore_changes = [scheduler_hints]
  }
}
