variable "size" {
  description = "Number of nodes from now on. Without it the size stays as it is."
  type        = number
  default     = null
}

variable "leaving" {
  description = "Names of the nodes that leave first."
  type        = list(string)
  default     = []
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size == null ? null : max(2, min(var.size, 10)) # an alarm may ask for more than there may be
  min_size         = 2
  max_size         = 10
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]

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
}

output "size" {
  value = stackpolicy_placement_attachment.web.desired_capacity
}

output "nodes" {
  value = join(" ", keys(stackpolicy_placement_attachment.web.nodes))
}
