# A cluster that is made, grows and gets a new image, on a cloud that OS_CLOUD names: `terraform test` makes servers there, and destroys
# them at the end. `make cloud` prints the environment of one on your machine.
variables {
  cluster          = "test"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
  image            = "debian-12"
  flavors          = ["m1.tiny"]
  networks         = ["shared"]
  update           = { max_batch_size = 2, target = "50%" }
}

run "creation" {
  assert {
    condition     = stackpolicy_placement_attachment.cluster.distribution == tomap({ RegionOne = tomap({ az-1 = 2, az-2 = 1 }) })
    error_message = "Three nodes over two zones of one weight are 2 and 1."
  }
  assert {
    condition     = alltrue([for name, server in output.servers : server.zone == output.nodes[name].zone && server.ip != ""])
    error_message = "Each node has a server in its zone."
  }
}

run "growth_moves_nobody" {
  variables {
    desired_capacity = 4
  }
  assert {
    condition     = alltrue([for name, server in run.creation.servers : output.servers[name].id == server.id])
    error_message = "A server was replaced."
  }
}

run "canary" {
  variables {
    desired_capacity = 4
    image            = "debian-13"
  }
  assert {
    condition     = length([for node in output.nodes : node if node.image == "debian-13"]) == 2 && output.remaining == 0
    error_message = "Half of the nodes get the image, and no more wait for it."
  }
  assert {
    condition     = length(setintersection(keys(output.servers), keys(run.growth_moves_nobody.servers))) == 2
    error_message = "The other half stays."
  }
}
