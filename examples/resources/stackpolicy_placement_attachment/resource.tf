# A cluster of six nodes over two regions and five availability zones. RegionTwo
# gets two of every three nodes, until it has as many as its cap.
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  min_size         = 2
  max_size         = 30

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }], weight = 200, cap = 12 },
  ]

  # When the cluster shrinks, the oldest nodes are removed, and web-3 never.
  deletion {
    criteria  = "OLDEST_FIRST"
    protected = ["web-3"]
  }
}

# Nova's server groups belong to a region, so each region has its own.
resource "stackpolicy_affinity_attachment" "web" {
  for_each = toset(["RegionOne", "RegionTwo"])
  region   = each.key

  servergroup {
    name     = "web"
    policies = "soft-anti-affinity"
  }
}

# The servers, one for each node: a node that stays keeps its name and place, and
# so its server.
resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }

  scheduler_hints {
    group = stackpolicy_affinity_attachment.web[each.value.region].servergroup_id
  }

  # New servers get the hints, and servers that exist are not replaced when the
  # group changes.
  lifecycle {
    ignore_changes = [scheduler_hints]
  }
}

# The present spread as a table: each place with its nodes, its ideal share, its
# weight, min and cap.
output "summary" {
  value = stackpolicy_placement_attachment.web.summary
}
