# Every variable reaches its argument. Nothing here is as by default. These runs plan only.
provider "stackpolicy" {
  allow_commands = true
}

variables {
  cluster          = "test"
  desired_capacity = 4
  min_size         = 3
  max_size         = 20
  regions = [
    { name = "RegionOne", min = 1, flavors = ["m1.tiny"], zones = [{ name = "az-1", min = 1 }, { name = "az-2", cap = 2 }, { name = "az-3", weight = 300, closed = true }] },
    { name = "RegionTwo", weight = 200, cap = 6, image = "debian-13" },
  ]
  respect_quotas    = true
  node_name_pattern = "{cluster}{index}"
  image             = "debian-12"
  flavors           = ["m1.small"]
  user_data         = "$${name} {name}-{index} {region} {zone} {{name}}"
  networks          = ["shared", { name = "storage", regions = ["RegionOne"], allowed_address_pairs = ["10.10.250.1"], security_group_ids = ["6c4e2a18-9f3b-4d57-a2c6-0b8d7e5f1a93"], floating_ip_pool = "public" }]
  disks             = { data = { size = 7 }, root = { size = 3, boot = true } }
  attempt           = "2"
  key_pair          = "ops"
  config_drive      = true
  security_groups   = ["web"]
  metadata          = { team = "a" }
  tags              = ["blue"]
  deletion          = { criteria = "YOUNGEST_FIRST", candidates = ["test1"], kept = ["test1"], protected = ["test0"] }
  update            = { causes = ["AGE", "TEMPLATE"], max_batch_size = "3", max_age = "30d", pause = "11m", stop_above = "5", target = "40%" }
  servergroup       = { policies = "anti-affinity", max_server_per_host = 2 }
  health            = { url = "http://{address}/health", status = "204", grace = "14m", timeout = "15s" }
  readiness = {
    url          = "http://{address}/ready"
    status       = "205"
    port         = 8443
    stable_for   = "16s"
    timeout      = "17m"
    hook_command = ["launch"]
    hook_timeout = "18m"
  }
  drain = {
    enabled             = false
    grace_period        = "20s"
    hook_url            = "https://consumer.example/leave"
    hook_timeout        = "19m"
    hook_default_result = "CONTINUE"
  }
  pools = { http = { region = "RegionTwo", pool_id = "50de9e44-9991-4200-abb7-e0038cd0e34a", protocol_port = 8080 } }
}

run "placement" {
  command = plan
  assert {
    condition = stackpolicy_placement_attachment.cluster.min_size == 3 && stackpolicy_placement_attachment.cluster.max_size == 20 && stackpolicy_placement_attachment.cluster.respect_quotas && alltrue([
      for r in stackpolicy_placement_attachment.cluster.regions : r.name == "RegionTwo" ? r.weight == 200 && r.cap == 6 : r.min == 1 && r.flavors[0] == "m1.tiny" && r.zones[0].min == 1 && r.zones[1].cap == 2 && r.zones[2].weight == 300 && r.zones[2].closed
    ])
    error_message = "The places are not those that were given."
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.deletion == { criteria = "YOUNGEST_FIRST", candidates = tolist(["test1"]), kept = tolist(["test1"]), protected = tolist(["test0"]) }
    error_message = "deletion is not what was given."
  }
  assert {
    condition = alltrue([
      for name, value in { causes = join(" ", ["AGE", "TEMPLATE"]), max_batch_size = "3", max_age = "30d", pause = "11m", stop_above = "5", target = "40%", require_in_service = "true", method = "SUBSTITUTE" } :
      coalesce({ for k, v in stackpolicy_placement_attachment.cluster.update : k => k == "causes" ? join(" ", v) : tostring(v) }[name], "SUBSTITUTE") == value
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
      s.key_pair == "ops" && s.config_drive && s.security_groups == toset(["web"]) && s.tags == toset(["blue"]) && startswith(name, "test") && !strcontains(name, "-") &&
      s.metadata == tomap({ team = "a", cluster = "test", stackpolicy_generation = "1" }) && s.network[0].uuid == output.nodes[name].networks[0].id && output.nodes[name].networks[0].name == "shared" && length(s.network) == (s.region == "RegionOne" ? 2 : 1) &&
      nonsensitive(s.user_data == sha1("$${name} ${name}-${output.nodes[name].index} ${s.region} ${coalesce(output.nodes[name].zone, "none")} {{name}}")) &&
      (s.region == "RegionOne") == (s.flavor_id == "m1.tiny") && (s.region == "RegionTwo") == (output.nodes[name].image == "debian-13") &&
      [for d in s.block_device : "${d.source_type} ${d.volume_size} ${d.boot_index}"] == ["image 3 0", "blank 7 -1"] && s.block_device[0].uuid == output.nodes[name].image_id
    ])
    error_message = "The servers are not made from what was given."
  }
  assert {
    condition = length(openstack_networking_port_v2.node) == length([for node in output.nodes : node if node.region == "RegionOne"]) && alltrue([
      for key, p in openstack_networking_port_v2.node : one(p.allowed_address_pairs).ip_address == "10.10.250.1" && length(p.security_group_ids) == 1 && openstack_networking_floatingip_v2.node[key].pool == "public"
    ])
    error_message = "The nodes of RegionOne have a port and an address."
  }
  assert {
    condition     = alltrue([for node in output.nodes : node.template.key_pair == "ops" && node.template.config_drive == "true" && node.template.attempt == "2" && node.disks[*].name == tolist(["root", "data"])])
    error_message = "The template has what a server cannot change."
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
      d.cluster == "test" && !d.enabled && d.shutdown == null && d.grace_period == "20s" &&
      d.hook.type == "webhook" && nonsensitive(d.hook.url) == "https://consumer.example/leave" && d.hook.timeout == "19m" && d.hook.default_result == "CONTINUE"
    ])
    error_message = "The drain is not what was given."
  }
  assert {
    condition = alltrue([for r in [stackpolicy_readiness_attachment.cluster] :
      nonsensitive(r.http.url) == "http://{address}/ready" && r.http.status == "205" && r.tcp.port == 8443 && r.stable_for == "16s" && r.timeout == "17m" &&
      r.hook.type == "command" && r.hook.command == tolist(["launch"]) && r.hook.timeout == "18m" && r.hook.default_result == "ABANDON" && keys(r.servers) == keys(output.nodes) && { for name, node in r.nodes : name => node.mark } == { for name, node in output.nodes : name => node.mark }
    ])
    error_message = "readiness is not what was given."
  }
}

run "other_ways" {
  command = plan
  variables {
    regions           = [{ name = "RegionOne" }]
    flavors           = ["m1.tiny", "m1.small"]
    networks          = [{ id = "b5a1c2d3-4e5f-4607-9182-a3b4c5d6e7f8" }]
    disks             = { data = { size = 7 } }
    user_data         = null
    node_name_pattern = null
    health            = { port = 5432 }
    servergroup       = { policies = "none", size = null }
    readiness         = { hook_url = "https://consumer.example/launch" }
    drain             = { hook_command = ["leave"] }
    update            = { causes = [], max_batch_size = null }
    pools             = null
  }
  assert {
    condition     = alltrue([for s in openstack_compute_instance_v2.node : s.flavor_id == "m1.tiny" && s.network[0].uuid == "b5a1c2d3-4e5f-4607-9182-a3b4c5d6e7f8" && s.block_device[*].destination_type == tolist(["local", "volume"])])
    error_message = "The servers get the first of the flavors, the network of the id, and a volume beside the disk of the flavor."
  }
  assert {
    condition     = stackpolicy_placement_attachment.cluster.health.tcp.port == 5432 && length(stackpolicy_placement_attachment.cluster.update.causes) == 0 && length(stackpolicy_affinity_attachment.cluster) == 0
    error_message = "Health asks the port, nothing is replaced, and there are no groups."
  }
  assert {
    condition     = stackpolicy_readiness_attachment.cluster.hook.type == "webhook" && alltrue([for d in stackpolicy_deletion_attachment.node : d.hook.type == "command" && d.hook.command == tolist(["leave"]) && d.shutdown == null])
    error_message = "The hooks are the others, and without a pool the server is shut down before the grace period."
  }
}
