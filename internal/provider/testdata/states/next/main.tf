# Every resource, with as many of its arguments as fit together.
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 4
  min_size         = 1
  max_size         = 10

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", cap = 5, min = 1, closed = false }] },
    { name = "RegionTwo", weight = 200, cap = 3 },
  ]
  template = { image = "ubuntu-24.04", flavor = "m1.small" }

  deletion {
    criteria  = "OLDEST_FIRST"
    protected = ["web-0"]
  }
  selector {
    name_regex = "^web-"
  }
  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = "25%"
    require_in_service = true
  }
}

output "nodes" {
  value = stackpolicy_placement_attachment.web.nodes
}

# Created by its name, created without one, and inherited.
resource "stackpolicy_affinity_attachment" "named" {
  servergroup {
    name     = "web"
    policies = "soft-anti-affinity"
  }
}

resource "stackpolicy_affinity_attachment" "unnamed" {
  region = "RegionTwo"
}

resource "stackpolicy_affinity_attachment" "inherited" {
  scheduler_hints {
    group = stackpolicy_affinity_attachment.named.servergroup_id
  }
}

# The test gives servers ids by the index of their nodes.
resource "stackpolicy_deletion_attachment" "web" {
  for_each     = stackpolicy_placement_attachment.web.nodes
  server_id    = format("00000000-0000-4000-8000-%012d", each.value.index)
  region       = each.value.region
  node_name    = each.key
  cluster      = "web"
  grace_period = "30s"
  shutdown     = true
  hook {
    type           = "webhook"
    url            = "https://drainer.example.com/drain"
    timeout        = "10m"
    default_result = "ABANDON"
  }
}

resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  timeout    = "1m"
  stable_for = "1s"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers = {
    for name, node in stackpolicy_placement_attachment.web.nodes : name => {
      id     = format("00000000-0000-4000-8000-%012d", node.index)
      region = node.region
    }
  }
}
