# More nodes in a zone than Nova allows in a server group (10), through a growth and a rollout: no group gets too many, and the nodes stay in
# as few as possible.
variables {
  cluster          = "test"
  desired_capacity = 12
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }] }]
  image            = "debian-12"
  flavors          = ["m1.tiny"]
  networks         = ["shared"]
}

run "creation" {
  assert {
    condition     = length(stackpolicy_affinity_attachment.cluster) == 2
    error_message = "Twelve nodes need two groups."
  }
}

run "a_batch" {
  variables {
    image = "debian-13"
  }
}

run "growth" {
  variables {
    desired_capacity = 16
    image            = "debian-13"
    update           = { causes = [] }
  }
  assert {
    condition     = alltrue([for name, server in run.a_batch.servers : output.servers[name].id == server.id])
    error_message = "A server was replaced for another group."
  }
}

run "after_it" {
  command = plan
  variables {
    desired_capacity = 16
    image            = "debian-13"
    update           = { causes = [] }
  }
  assert {
    condition     = max([for group in stackpolicy_affinity_attachment.cluster : length(group.members)]...) == 10 && sum([for group in stackpolicy_affinity_attachment.cluster : length(group.members)]) == 16
    error_message = "The growth fills the first group, and each server is in one: ${jsonencode([for group in stackpolicy_affinity_attachment.cluster : length(group.members)])}."
  }
}
