# A production cluster without the module: two regions, a pool, drains, a canary, health. Copy it. A line that is
# marked with (!) must not be forgotten: the comment says what happens without it.
terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7
  required_providers {
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

# The pool of each region.
variable "pool_ids" {
  type = map(string)
}

variable "drain_url" {
  type      = string
  sensitive = true
}

variable "regions_closed" {
  description = "Regions that take no nodes for now and are sent no request."
  type        = set(string)
  default     = []
}

locals {
  regions = [
    { name = "RegionOne", cap = 8, zones = [{ name = "az-1", cap = 4 }, { name = "az-2", cap = 4 }, { name = "az-3", cap = 4 }] },
    { name = "RegionTwo", cap = 8, zones = [{ name = "az-1", cap = 4 }, { name = "az-2", cap = 4 }] },
  ]
  nodes = stackpolicy_placement_attachment.web.nodes
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions          = [for region in local.regions : merge(region, { closed = contains(var.regions_closed, region.name) })]
  respect_quotas   = true

  image     = "debian-12"
  flavors   = ["m1.small"]
  user_data = "#cloud-config\n"

  deletion {
    criteria = "OLDEST_FIRST"
  }

  health {
    http {
      url = "http://{address}/health"
    }
  }

  update {
    causes         = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size = "50%"
    target         = "100%" # "25%" for a canary
  }
}

# One for each zone with nodes: Nova lets a server group have ten members, unless your operator raised that.
resource "stackpolicy_affinity_attachment" "web" {
  for_each = { for name, node in local.nodes : "${node.region}/${node.zone}" => node... }
  region   = each.value[0].region

  servergroup {
    name     = "web-${each.value[0].zone}"
    policies = "soft-anti-affinity"
  }
}

# A server is made once for each generation of its node, and never changes.
resource "terraform_data" "generation" {
  for_each = local.nodes
  input    = each.value.generation
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.image_id
  flavor_id         = each.value.flavor_id
  user_data         = try(stackpolicy_placement_attachment.web.user_data_texts[each.value.template.user_data], null)

  network {
    name = "shared"
  }

  scheduler_hints {
    group = stackpolicy_affinity_attachment.web["${each.value.region}/${each.value.zone}"].servergroup_id
  }

  lifecycle {
    create_before_destroy = true # (!) old servers are destroyed before new ones are made
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, flavor_id, user_data, network, availability_zone, scheduler_hints]
  }
}

# The drain of a node that leaves: the webhook answers 202 as long as it has work, then a minute passes for its last connections.
resource "stackpolicy_deletion_attachment" "web" {
  for_each     = openstack_compute_instance_v2.web
  server_id    = each.value.id
  region       = each.value.region # (!) the server is looked for in the provider's region: an error
  cluster      = "web"
  node_name    = each.key
  grace_period = "1m"

  hook {
    type           = "webhook"
    url            = var.drain_url
    timeout        = "15m"
    default_result = "ABANDON"
  }

  lifecycle {
    create_before_destroy = true # (!) old nodes are drained before the new ones are in service
  }
}

# An apply waits here. If a new server does not get into service, nothing old leaves.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web] # (!) drains do not wait for this
  timeout    = "30m"

  http {
    url = "http://{address}/health"
  }
}

resource "openstack_lb_member_v2" "web" {
  for_each      = openstack_compute_instance_v2.web
  name          = each.key
  region        = each.value.region
  pool_id       = var.pool_ids[each.value.region]
  address       = each.value.access_ip_v4
  protocol_port = 80
  depends_on    = [stackpolicy_readiness_attachment.web] # (!) a member gets connections before its server is in service

  lifecycle {
    create_before_destroy = true                    # (!) old members leave before new ones are there
    ignore_changes        = [protocol_port, weight] # (!) another port is for new servers; a weight may be set by hand
  }
}

# It refers to the members: old ones leave after it has changed, so after new ones are there.
resource "terraform_data" "members" {
  input = keys(openstack_lb_member_v2.web) # (!) old members leave before new ones are there
}

output "status" {
  value = stackpolicy_placement_attachment.web.status
}

output "remaining" {
  value = stackpolicy_placement_attachment.web.remaining
}
