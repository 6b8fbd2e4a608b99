# Every variable of this module alone reaches its argument. Nothing here is as by default. These runs plan only.
variables {
  cluster          = "test"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]
  image            = "debian-12"
  flavors          = ["m1.tiny"]
  networks = [
    { name = "shared", security_group_ids = ["6c4e2a18-9f3b-4d57-a2c6-0b8d7e5f1a93"], floating_ip_pool = "public", floating_ips = { test-1 = "203.0.113.9" } },
    { name = "storage", zones = ["az-1", "RegionOne/az-3"], addresses = { test-0 = "10.10.0.7" }, port_security_enabled = false, allowed_address_pairs = ["10.10.0.250"] },
  ]
  disks = {
    data = { size = 7, type = "fast", zone = { "az-1" = "nova", "RegionOne/az-2" = "cinder-2" } }
    wal  = { size = 1, zone = "nova" }
  }
  user_data  = "{name} {index} {region} {zone}"
  deletion   = { criteria = "OLDEST_FIRST" }
  update     = { causes = ["TEMPLATE"], max_batch_size = "40%" }
  on_removal = "DELETE"
  release    = ["test-7"]
  drain      = { grace_period = "3s" }
  pools      = { sql = { region = "RegionOne", pool_id = "50de9e44-9991-4200-abb7-e0038cd0e34a", protocol_port = 5432, monitor_address = "10.10.0.9", monitor_port = 8008, backup = true } }
}

run "arguments" {
  command = plan
  assert {
    condition     = { for name, s in output.slots : s.zone => openstack_blockstorage_volume_v3.slot["${name}/data"].availability_zone } == { az-1 = "nova", az-2 = "cinder-2", az-3 = "az-3" } && alltrue([for key, v in openstack_blockstorage_volume_v3.slot : endswith(key, "/data") ? v.size == 7 && v.volume_type == "fast" : v.size == 1 && v.availability_zone == "nova"])
    error_message = "The volumes are not those that were given."
  }
  assert {
    condition     = { for name, s in output.slots : s.zone => length(openstack_compute_instance_v2.node[name].network) } == { az-1 = 2, az-2 = 1, az-3 = 2 } && alltrue([for key, p in openstack_networking_port_v2.slot : endswith(key, "/shared") ? p.security_group_ids == toset(["6c4e2a18-9f3b-4d57-a2c6-0b8d7e5f1a93"]) : one(p.allowed_address_pairs).ip_address == "10.10.0.250" && !p.port_security_enabled])
    error_message = "The ports are not those that were given."
  }
  assert {
    condition     = alltrue([for name, s in openstack_compute_instance_v2.node : nonsensitive(s.user_data == sha1("${name} ${output.slots[name].index} RegionOne ${s.availability_zone}"))])
    error_message = "The user data is not each node's own."
  }
  assert {
    condition     = openstack_networking_port_v2.slot["test-0/storage"].fixed_ip[0].ip_address == "10.10.0.7" && openstack_networking_floatingip_associate_v2.slot["test-1/shared"].floating_ip == "203.0.113.9" && keys(openstack_networking_floatingip_v2.slot) == ["test-0/shared", "test-2/shared"]
    error_message = "The addresses are not those that were given."
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.stateful == { on_removal = "DELETE", release = tolist(["test-7"]) } && stackpolicy_placement_attachment.cluster.deletion.criteria == "OLDEST_FIRST" && stackpolicy_placement_attachment.cluster.update.method == "RECREATE" && stackpolicy_placement_attachment.cluster.update.max_batch_size == "40%" && stackpolicy_placement_attachment.cluster.update.causes == tolist(["TEMPLATE"])
    error_message = "Slots and batches are not those that were given."
  }
  assert {
    condition     = length(openstack_lb_member_v2.node) == 3 && alltrue([for m in openstack_lb_member_v2.node : m.monitor_address == "10.10.0.9" && m.monitor_port == 8008 && m.backup]) && alltrue([for d in stackpolicy_deletion_attachment.node : d.shutdown == null && d.grace_period == "3s"])
    error_message = "Each node is a member of the pool, and is shut down before it leaves."
  }
}

run "without_volumes" {
  command = plan
  variables {
    disks       = {}
    servergroup = { policies = "anti-affinity", size = 1 }
    regions     = [{ name = "RegionOne", zones = [{ name = "az-1" }] }]
  }
  assert {
    condition     = length(openstack_blockstorage_volume_v3.slot) == 0 && length(stackpolicy_affinity_attachment.cluster) == 4
    error_message = "There are no volumes, and a group for each node and for a batch of one."
  }
}

run "another_group" {
  command = plan
  variables {
    servergroup = { ids = { RegionOne = "1c2e4f60-8a9b-4c3d-9e5f-7a6b8c9d0e1f" } }
  }
  assert {
    condition     = length(stackpolicy_affinity_attachment.cluster) == 0 && alltrue([for s in openstack_compute_instance_v2.node : one(s.scheduler_hints).group == "1c2e4f60-8a9b-4c3d-9e5f-7a6b8c9d0e1f"])
    error_message = "The servers are in the group that was given, and there is no other."
  }
}
