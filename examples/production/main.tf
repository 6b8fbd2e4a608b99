# A production cluster without the module: two regions, a pool, drains, a canary, going back by itself, health. Copy it. A line that is
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

  template = {
    image     = "debian-12"
    flavor    = "m1.small"
    user_data = "v1"
  }

  deletion {
    criteria = "OLDEST_FIRST"
  }

  health {
    http {
      url = "http://{address}/health"
    }
  }

  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = "50%"
    target             = "100%" # "25%" for a canary
    revert_after       = "30m"
    require_in_service = true # (!) an ACTIVE server counts as in service, whether it answers or not, until one has been marked
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

resource "openstack_compute_instance_v2" "web" {
  for_each            = local.nodes
  name                = each.key                   # (!) no server is found under the name of its node
  region              = each.value.region          # (!) all servers are made in the provider's region
  availability_zone   = each.value.zone            # (!) Nova chooses, and the spread is not what the plan says
  image_name          = each.value.template.image  # (!) with the image itself here, all servers are rebuilt at once
  flavor_name         = each.value.template.flavor # (!) the same: all servers are resized at once
  user_data           = local.user_data[each.value.template.user_data]
  stop_before_destroy = true # after the grace period of the deletion attachment

  network {
    name = "shared"
  }

  scheduler_hints {
    group = stackpolicy_affinity_attachment.web["${each.value.region}/${each.value.zone}"].servergroup_id
  }

  lifecycle {
    create_before_destroy = true              # (!) old servers are destroyed before new ones are made
    ignore_changes        = [scheduler_hints] # (!) another group replaces all servers of its zone at once
  }
}

# By version: keep one as long as a node has it.
locals {
  user_data = { v1 = "#cloud-config\n" }
}

# The drain of a node that leaves: the webhook answers 202 as long as it has work, then a minute passes for its last connections.
resource "stackpolicy_deletion_attachment" "web" {
  for_each        = openstack_compute_instance_v2.web
  server_id       = each.value.id
  region          = each.value.region # (!) the server is looked for in the provider's region: an error
  cluster         = "web"
  node_name       = each.key
  grace_period    = "1m"
  only_in_service = true # (!) the fix of a bad image waits for the drains of servers that never served

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
  cluster = "web"
  servers = { for name, node in stackpolicy_deletion_attachment.web : name => { # (!) with the servers here, drains do not wait for this
    id      = node.server_id
    region  = node.region
    address = openstack_compute_instance_v2.web[name].access_ip_v4
    mark    = local.nodes[name].mark # (!) servers of an old template count as in service under the new one
  } if !local.nodes[name].closed }   # (!) an apply waits for servers of a region that cannot be reached
  timeout = "30m"

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
    create_before_destroy = true     # (!) old members leave before new ones are there
    ignore_changes        = [weight] # (!) a weight that somebody set by hand is undone
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
