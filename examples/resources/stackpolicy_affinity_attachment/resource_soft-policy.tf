# Keep the nodes of a large cluster apart as far as there are hosts for them. If
# there are more nodes than hosts, some share a host. Nova's server groups belong
# to a region, so each region has its own.
resource "stackpolicy_affinity_attachment" "web" {
  for_each = toset(["RegionOne", "RegionTwo"])
  region   = each.key

  servergroup {
    name     = "web"
    policies = "soft-anti-affinity"
  }
}

# At most two of its servers on one host.
resource "stackpolicy_affinity_attachment" "queue" {
  servergroup {
    name                = "queue"
    policies            = "anti-affinity"
    max_server_per_host = 2
  }
}
