# Every variable reaches its argument. Nothing here is as by default. These runs plan only.
variables {
  cluster          = "test"
  desired_capacity = 4
  min_size         = 3
  max_size         = 20
  regions = [
    { name = "RegionOne", min = 1, template = { flavor_name = "m1.tiny" }, zones = [{ name = "az-1", min = 1 }, { name = "az-2", cap = 2, template = { image_name = "debian-13" } }, { name = "az-3", weight = 300, closed = true }] },
    { name = "RegionTwo", weight = 200, cap = 6 },
  ]
  respect_quotas            = true
  flavor_id                 = "m1.small"
  node_name_pattern         = "{cluster}{index}"
  image_name                = "debian-12"
  flavor_name               = "m1.small"
  user_data                 = { v1 = "#!/bin/sh" }
  user_data_version         = "v1"
  network_name              = "shared"
  key_pair                  = "ops"
  config_drive              = true
  security_groups           = ["web"]
  metadata                  = { team = "a" }
  tags                      = ["blue"]
  criteria                  = "YOUNGEST_FIRST"
  candidates                = ["test1"]
  kept                      = ["test1"]
  protected                 = ["test0"]
  causes                    = ["AGE", "TEMPLATE"]
  max_batch_size            = "3"
  max_age                   = "30d"
  pause                     = "11m"
  window                    = ["Sat 02:00-06:00 UTC"]
  retry_full_after          = "12m"
  revert_after              = "13m"
  stop_above                = "5"
  target                    = "40%"
  servergroup_policies      = "anti-affinity"
  max_server_per_host       = 2
  health_url                = "http://{address}/health"
  health_status             = "204"
  health_grace              = "14m"
  health_timeout            = "15s"
  readiness_url             = "http://{address}/ready"
  readiness_status          = "205"
  readiness_port            = 8443
  readiness_stable_for      = "16s"
  readiness_timeout         = "17m"
  readiness_hook_queue      = "launch"
  readiness_hook_timeout    = "18m"
  drain_hook_url            = "https://consumer.example/leave"
  drain_hook_timeout        = "19m"
  drain_hook_default_result = "CONTINUE"
  grace_period              = "20s"
  drain_enabled             = false
  pools                     = { http = { region = "RegionTwo", pool_id = "50de9e44-9991-4200-abb7-e0038cd0e34a", protocol_port = 8080 } }
}

run "placement" {
  command = plan
  assert {
    condition = stackpolicy_placement_attachment.cluster.min_size == 3 && stackpolicy_placement_attachment.cluster.max_size == 20 && stackpolicy_placement_attachment.cluster.respect_quotas && stackpolicy_placement_attachment.cluster.flavor_id == "m1.small" && alltrue([
      for r in stackpolicy_placement_attachment.cluster.regions : r.name == "RegionTwo" ? r.weight == 200 && r.cap == 6 : r.min == 1 && r.template == tomap({ flavor_name = "m1.tiny" }) && r.zones[0].min == 1 && r.zones[1].cap == 2 && r.zones[2].weight == 300 && r.zones[2].closed
    ])
    error_message = "The places are not those that were given."
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.deletion == { criteria = "YOUNGEST_FIRST", candidates = tolist(["test1"]), kept = tolist(["test1"]), protected = tolist(["test0"]) }
    error_message = "deletion is not what was given."
  }
  assert {
    condition = alltrue([
      for name, value in { causes = join(" ", ["AGE", "TEMPLATE"]), max_batch_size = "3", max_age = "30d", pause = "11m", window = "Sat 02:00-06:00 UTC", retry_full_after = "12m", revert_after = "13m", stop_above = "5", target = "40%", require_in_service = "true", method = "SUBSTITUTE" } :
      coalesce({ for k, v in stackpolicy_placement_attachment.cluster.update : k => contains(["causes", "window"], k) ? join(" ", v) : tostring(v) }[name], "SUBSTITUTE") == value
    ])
    error_message = "update is not what was given."
  }
  assert {
    condition     = nonsensitive(stackpolicy_placement_attachment.cluster.health.http.url) == "http://{address}/health" && stackpolicy_placement_attachment.cluster.health.http.status == "204" && stackpolicy_placement_attachment.cluster.health.grace == "14m" && stackpolicy_placement_attachment.cluster.health.timeout == "15s"
    error_message = "health is not what was given."
  }
}

run "servers" {
  command = plan
  assert {
    condition = alltrue([for name, s in openstack_compute_instance_v2.node :
      s.key_pair == "ops" && s.config_drive && s.security_groups == toset(["web"]) && s.tags == toset(["blue"]) && s.stop_before_destroy && startswith(name, "test") && !strcontains(name, "-") &&
      s.metadata == tomap({ team = "a", cluster = "test", stackpolicy_generation = "1" }) && s.user_data == sha1("#!/bin/sh") && s.network[0].name == "shared" &&
      (s.region == "RegionOne") == (s.flavor_name == "m1.tiny") && (output.nodes[name].zone == "az-2") == (s.image_name == "debian-13")
    ])
    error_message = "The servers are not made from what was given."
  }
  assert {
    condition     = alltrue([for g in stackpolicy_affinity_attachment.cluster : g.servergroup.policies == "anti-affinity" && g.servergroup.max_server_per_host == 2])
    error_message = "The server groups are not those that were given."
  }
  assert {
    condition = alltrue([for key, m in openstack_lb_member_v2.node : m.protocol_port == 8080 && m.region == "RegionTwo" && m.pool_id == "50de9e44-9991-4200-abb7-e0038cd0e34a"]) && (
    length(openstack_lb_member_v2.node) == length([for node in output.nodes : node if node.region == "RegionTwo"]))
    error_message = "The nodes of RegionTwo are the members of the pool."
  }
}

run "before_and_after" {
  command = plan
  assert {
    condition = alltrue([for d in stackpolicy_deletion_attachment.node :
      d.cluster == "test" && !d.enabled && !d.shutdown && d.grace_period == "20s" && d.only_in_service &&
      d.hook.type == "webhook" && nonsensitive(d.hook.url) == "https://consumer.example/leave" && d.hook.timeout == "19m" && d.hook.default_result == "CONTINUE"
    ])
    error_message = "The drain is not what was given."
  }
  assert {
    condition = alltrue([for r in [stackpolicy_readiness_attachment.cluster] :
      nonsensitive(r.http.url) == "http://{address}/ready" && r.http.status == "205" && r.tcp.port == 8443 && r.stable_for == "16s" && r.timeout == "17m" &&
      r.hook.type == "zaqar" && r.hook.queue == "launch" && r.hook.timeout == "18m" && r.hook.default_result == "ABANDON" && { for name, s in r.servers : name => s.mark } == { for name, node in output.nodes : name => node.mark }
    ])
    error_message = "readiness is not what was given."
  }
}

run "other_ways" {
  command = plan
  variables {
    flavor_id              = null
    flavor_name            = null
    flavors                = ["m1.tiny", "m1.small"]
    prefer                 = "FLAVOR"
    node_name_pattern      = null
    health_url             = null
    health_status          = null
    health_port            = 5432
    servergroup_policies   = null
    max_server_per_host    = null
    readiness_hook_queue   = null
    readiness_hook_url     = "https://consumer.example/launch"
    drain_hook_url         = null
    drain_hook_queue       = "leave"
    causes                 = []
    max_age                = null
    pause                  = null
    window                 = null
    retry_full_after       = null
    revert_after           = null
    stop_above             = null
    target                 = null
    pools                  = {}
    health_timeout         = null
    readiness_hook_timeout = null
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.prefer == "FLAVOR" && alltrue([for s in openstack_compute_instance_v2.node : s.flavor_name == "m1.tiny"])
    error_message = "The servers get the first of the flavors."
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.health.tcp.port == 5432 && stackpolicy_placement_attachment.cluster.update == null && length(stackpolicy_affinity_attachment.cluster) == 0
    error_message = "Health asks the port, nothing is replaced, and there are no groups."
  }
  assert {
    condition     = stackpolicy_readiness_attachment.cluster.hook.type == "webhook" && alltrue([for d in stackpolicy_deletion_attachment.node : d.hook.type == "zaqar" && d.hook.queue == "leave" && d.shutdown])
    error_message = "The hooks are the others, and without a pool the server is shut down before the grace period."
  }
}

# A mistake is an error that names its variable.
run "a_key_that_no_region_has" {
  command = plan
  variables {
    regions = [{ name = "RegionOne", zone = [{ name = "az-1" }] }]
    pools   = {}
  }
  expect_failures = [var.regions]
}

run "a_cause_that_there_is_not" {
  command = plan
  variables {
    causes = ["BROKEN"]
  }
  expect_failures = [var.causes]
}

run "a_version_that_there_is_not" {
  command = plan
  variables {
    user_data_version = "v2"
  }
  expect_failures = [stackpolicy_placement_attachment.cluster]
}
