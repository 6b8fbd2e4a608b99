variable "image" {
  type    = string
  default = "debian-12"
}

# How many nodes get the new image: "20%" is a canary, "100%" is all of them.
variable "target" {
  type    = string
  default = "100%"
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 9

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
  ]

  # The source of new nodes. A changed template changes no node by itself.
  template = {
    image  = var.image
    flavor = "m1.tiny"
  }

  # One batch for each apply: broken nodes first, then outdated ones.
  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = 2
    target             = var.target
    require_in_service = true
    revert_after       = "30m" # what does not work by then is taken back
  }
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = each.value.template.image
  flavor_name       = each.value.template.flavor

  network {
    name = "shared"
  }

  # The new server is made before the old one is destroyed.
  lifecycle {
    create_before_destroy = true
  }
}

# Waits until new servers are in service, and marks them in Nova. A batch is taken
# only when the one before it is marked.
resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  servers = {
    for name, server in openstack_compute_instance_v2.web : name => {
      id      = server.id
      region  = server.region
      address = server.access_ip_v4
      mark    = stackpolicy_placement_attachment.web.nodes[name].mark
    } if !stackpolicy_placement_attachment.web.nodes[name].closed
  }
}

# Nodes that are left for the next applies. A pipeline applies until it is 0.
output "remaining" {
  value = stackpolicy_placement_attachment.web.remaining
}

output "summary" {
  value = stackpolicy_placement_attachment.web.summary
}
