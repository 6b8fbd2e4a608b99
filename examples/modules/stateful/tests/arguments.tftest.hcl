# Every variable of this module alone reaches its argument. Nothing here is as by default. These runs plan only.
variables {
  cluster            = "test"
  desired_capacity   = 3
  regions            = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]
  image_name         = "debian-12"
  flavor_name        = "m1.tiny"
  network_ids        = { RegionOne = "b5a1c2d3-4e5f-4607-9182-a3b4c5d6e7f8" }
  security_group_ids = { RegionOne = ["6c4e2a18-9f3b-4d57-a2c6-0b8d7e5f1a93"] }
  volume_size        = 7
  volume_type        = "fast"
  volume_zones       = { "az-1" = "nova", "RegionOne/az-2" = "cinder-2" }
  criteria           = "OLDEST_FIRST"
  causes             = ["TEMPLATE"]
  max_batch_size     = "40%"
  on_removal         = "DELETE"
  release            = ["test-7"]
  grace_period       = "3s"
  pools              = { sql = { region = "RegionOne", pool_id = "50de9e44-9991-4200-abb7-e0038cd0e34a", protocol_port = 5432 } }
}

run "arguments" {
  command = plan
  assert {
    condition     = { for name, v in openstack_blockstorage_volume_v3.slot : output.slots[name].zone => v.availability_zone } == { az-1 = "nova", az-2 = "cinder-2", az-3 = "az-3" } && alltrue([for v in openstack_blockstorage_volume_v3.slot : v.size == 7 && v.volume_type == "fast"])
    error_message = "The volumes are not those that were given."
  }
  assert {
    condition     = alltrue([for p in openstack_networking_port_v2.slot : p.network_id == var.network_ids.RegionOne && p.security_group_ids == toset(var.security_group_ids.RegionOne)])
    error_message = "The ports are not those that were given."
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.stateful == { on_removal = "DELETE", release = tolist(["test-7"]) } && stackpolicy_placement_attachment.cluster.deletion.criteria == "OLDEST_FIRST" && stackpolicy_placement_attachment.cluster.update.method == "RECREATE" && stackpolicy_placement_attachment.cluster.update.max_batch_size == "40%" && stackpolicy_placement_attachment.cluster.update.causes == tolist(["TEMPLATE"])
    error_message = "Slots and batches are not those that were given."
  }
  assert {
    condition     = length(openstack_lb_member_v2.node) == 3 && alltrue([for d in stackpolicy_deletion_attachment.node : d.shutdown && d.grace_period == "3s"])
    error_message = "Each node is a member of the pool, and is shut down before it leaves."
  }
}

run "without_volumes" {
  command = plan
  variables {
    volume_size          = null
    volume_type          = null
    volume_zones         = {}
    servergroup_policies = "anti-affinity"
    servergroup_size     = 1
    regions              = [{ name = "RegionOne", zones = [{ name = "az-1" }] }]
  }
  assert {
    condition     = length(openstack_blockstorage_volume_v3.slot) == 0 && keys(stackpolicy_affinity_attachment.cluster) == ["RegionOne/az-1/0", "RegionOne/az-1/1", "RegionOne/az-1/2"]
    error_message = "There are no volumes, and a group for each block of indexes."
  }
}

run "a_network_that_is_not_given" {
  command = plan
  variables {
    network_ids = {}
  }
  expect_failures = [stackpolicy_placement_attachment.cluster]
}

run "moving_away_from_a_volume" {
  command = plan
  variables {
    causes = ["PLACEMENT"]
  }
  expect_failures = [var.causes]
}
