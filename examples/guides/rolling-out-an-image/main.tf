variable "image" {
  type    = string
  default = "debian-12"
}

# How many nodes get the new image: "20%" is a canary, "100%" is all of them.
variable "target" {
  type    = string
  default = "100%"
}

# Where a server answers once it serves, such as http://{address}:8080/health.
variable "health_url" {
  type = string
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 9

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
  ]

  # The source of new nodes. Another image changes no node by itself.
  image   = var.image
  flavors = ["m1.tiny"]

  # One batch for each apply: broken nodes first, then outdated ones.
  update {
    causes         = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size = 2
    target         = var.target
  }
}

# A server is made once for each generation of its node, and never changes.
resource "terraform_data" "generation" {
  for_each = stackpolicy_placement_attachment.web.nodes
  input    = each.value.generation
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.image_id
  flavor_id         = each.value.flavor_id

  network {
    name = "shared"
  }

  # The new server is made before the old one is destroyed.
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, flavor_id, network, availability_zone]
  }
}

# Waits until the service of new servers answers, and marks them in Nova. A batch begins
# only when the servers of the one before have their marks.
resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  nodes   = stackpolicy_placement_attachment.web.nodes
  servers = openstack_compute_instance_v2.web

  http {
    url = var.health_url
  }
}

# Nodes that are left for the next applies. A pipeline applies until it is 0.
output "remaining" {
  value = stackpolicy_placement_attachment.web.remaining
}

output "summary" {
  value = stackpolicy_placement_attachment.web.summary
}
