# A database that is made, gets a new image, shrinks and grows, on a cloud that OS_CLOUD names: `terraform test` makes servers and volumes
# there, and destroys them at the end. `make cloud` prints the environment of one on your machine.
variables {
  cluster          = "test"
  desired_capacity = 2
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
  image            = "debian-12"
  flavors          = ["m1.tiny"]
  networks         = ["shared"]
  disks            = { data = { size = 1 } }
}

run "creation" {
  assert {
    condition     = keys(output.servers) == keys(output.volume_ids) && keys(output.servers) == keys(output.port_ids)
    error_message = "Each node has a volume and a port."
  }
}

run "a_batch" {
  variables {
    image = "debian-13"
  }
  assert {
    condition     = length([for name, server in output.servers : name if server.id != run.creation.servers[name].id]) == 1 && output.remaining == 1
    error_message = "One server is made again."
  }
  assert {
    condition     = output.volume_ids == run.creation.volume_ids && output.port_ids == run.creation.port_ids
    error_message = "It keeps its volume and its port."
  }
}

run "shrink" {
  variables {
    desired_capacity = 1
    update           = { causes = [] }
  }
  assert {
    condition     = keys(output.servers) == ["test-0"] && output.volume_ids == run.creation.volume_ids
    error_message = "The volume of the node that left is kept."
  }
}

run "release" {
  variables {
    desired_capacity = 1
    update           = { causes = [] }
    release          = ["test-1"]
  }
  assert {
    condition     = keys(output.volume_ids) == ["test-0"]
    error_message = "The slot is given up, with its volume."
  }
}
