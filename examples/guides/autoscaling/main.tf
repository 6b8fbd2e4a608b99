variable "wanted" {
  description = "Number of nodes that the load needs."
  type        = number
  default     = 3
}

variable "leaving" {
  description = "Names of the nodes that leave first."
  type        = list(string)
  default     = []
}

locals {
  min_size = 2
  max_size = 10

  # A size outside the bounds is moved to the nearest bound.
  size = provider::stackpolicy::desired_capacity(0, {
    adjustment_type = "EXACT_CAPACITY"
    number          = var.wanted
    min_size        = local.min_size
    max_size        = local.max_size
  })
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = local.size
  min_size         = local.min_size
  max_size         = local.max_size
  region           = "RegionOne"
  zones            = [{ name = "az-1" }, { name = "az-2" }]

  deletion {
    criteria   = "YOUNGEST_FIRST"
    candidates = var.leaving
  }
}

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
}

# Each server is stopped in order before it is destroyed.
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key
  cluster   = "web"
  shutdown  = true
}

output "size" {
  value = local.size
}

output "nodes" {
  value = join(" ", keys(stackpolicy_placement_attachment.web.nodes))
}
