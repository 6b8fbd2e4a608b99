# Both modules work this out: the file is the same in "cluster" and "stateful".
locals {
  # The nodes with their networks, pools and disks, which many nodes share.
  nodes = tomap({ for name, node in stackpolicy_placement_attachment.cluster.nodes : name =>
    merge(node, stackpolicy_placement_attachment.cluster.parts[node.parts], { template = coalesce(node.template, {}) })
  })

  # Worked out once, and not for each node. A node that leaves may have a replaced server alone.
  made    = openstack_compute_instance_v2.node
  servers = { for name, server in local.made : name => server if lookup(local.nodes, name, null) != null }

  # The addresses that are asked, where a server has several.
  asked = merge(
    { for name, address in local.address : name => address if length(local.nodes[name].networks) > 1 }, local.floating,
  )

  # OpenTofu hands no null on to a function.
  user_data = { for name, node in local.nodes : name => one([
    for key, text in coalesce(stackpolicy_placement_attachment.cluster.user_data_texts, {}) :
    provider::stackpolicy::render(text, { name = name, index = node.index, region = node.region, zone = node.zone })
    if key == lookup(node.template, "user_data", null)
  ]) }

  # The variables that are blocks, each with all of its keys: null is the default.
  blocks = {
    update = var.update, deletion = var.deletion, drain = var.drain,
    health = var.health, readiness = var.readiness, servergroup = var.servergroup,
  }
  given = { for name, keys in local.keys : name =>
    merge({ for key in keys : key => null }, [for block in [local.blocks[name]] : block if can(keys(block))]...)
  }

  # Whether something is given is no secret, though the value may be one.
  has = { for name, block in local.given :
    name => { for key, value in block : key => nonsensitive(value != null) }
  }
  hooked = { for name, has in local.has : name => anytrue([for key, given in has : given if startswith(key, "hook_")]) }

  # The mistakes that the provider does not see, or says for each node and zone.
  mistakes = compact(flatten([
    [for name, block in local.blocks : "${name} is no object, as in ${name} = { ... }." if !can(keys(block))],
    [for name, block in local.given : [for key in setsubtract(keys(block), local.keys[name]) :
      "${name} has \"${key}\", and has no such key. It has ${join(", ", local.keys[name])}."
    ]],
    !anytrue([for key in keys(var.metadata) : key == "cluster" || startswith(key, "stackpolicy_")]) ? "" :
    "metadata has a key that is set for it: cluster, or one that begins with stackpolicy_.",
    contains(["affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity", "none"], local.policies) ? "" :
    "servergroup.policies is affinity, anti-affinity, soft-affinity, soft-anti-affinity or none.",
    !local.has.servergroup.max_server_per_host || local.policies == "anti-affinity" ? "" :
    "servergroup.max_server_per_host needs policies = \"anti-affinity\".",
    !local.hooked.drain || local.has.drain.hook_url != local.has.drain.hook_command ? "" :
    "A drain hook is one of hook_url and hook_command, which its other keys need.",
  ]))
}
