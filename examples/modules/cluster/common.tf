# Both modules work this out: the file is the same in "cluster" and "stateful".
locals {
  # The nodes with their networks, pools and disks, which many nodes share.
  nodes = tomap({ for name, node in stackpolicy_placement_attachment.cluster.nodes : name =>
    merge(node, stackpolicy_placement_attachment.cluster.parts[node.parts], { template = coalesce(node.template, {}) })
  })

  # A node that leaves may have a replaced server alone.
  servers = { for name, server in openstack_compute_instance_v2.node :
    name => server if contains(keys(local.nodes), name)
  }

  # The addresses that are asked, where a server has several.
  asked = merge(
    { for name, address in local.address : name => address if length(local.nodes[name].networks) > 1 }, local.floating,
  )

  # OpenTofu hands no null on to a function.
  user_data_texts = { for name, node in local.nodes :
    name => try(stackpolicy_placement_attachment.cluster.user_data_texts[node.template.user_data], null)
  }
  user_data = { for name, node in local.nodes :
    name => local.user_data_texts[name] == null ? null : provider::stackpolicy::render(local.user_data_texts[name], {
      name = name, index = node.index, region = node.region, zone = node.zone
    })
  }

  # Whether an address is set is no secret, though the address may be one.
  health_http = nonsensitive(var.health_url != null) || var.health_status != null
  health = anytrue([
    local.health_http, var.health_port != null, var.health_pool_ids != null, var.health_grace != null,
    var.health_timeout != null,
  ])

  readiness_http      = nonsensitive(var.readiness_url != null) || var.readiness_status != null
  readiness_hook_type = nonsensitive(var.readiness_hook_url != null) ? "webhook" : "command"
  readiness_hook = nonsensitive(var.readiness_hook_url != null) || anytrue([for given in [
    var.readiness_hook_command, var.readiness_hook_environment, var.readiness_hook_timeout,
  ] : given != null])

  drain_hook_type = nonsensitive(var.drain_hook_url != null) ? "webhook" : "command"
  drain_hook = nonsensitive(var.drain_hook_url != null) || anytrue([for given in [
    var.drain_hook_command, var.drain_hook_environment, var.drain_hook_timeout,
  ] : given != null])
}
