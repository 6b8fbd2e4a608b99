variable "size" {
  description = "Number of servers."
  type        = number
  default     = 4
}

variable "release" {
  description = "What the servers run. Another value replaces them, two with each apply."
  type        = string
  default     = "1"
}

variable "zones" {
  description = "Two availability zones of the region."
  type        = list(string)
  default     = ["nova", "az-2"]
}

variable "image" {
  description = "Name of an image."
  type        = string
  default     = "cirros-0.6.3-x86_64-disk"
}

variable "flavor" {
  description = "Name of a flavor."
  type        = string
  default     = "m1.tiny"
}

variable "network" {
  description = "Name of a network."
  type        = string
  default     = "private"
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  zones            = [for name in var.zones : { name = name }]
  template         = { release = var.release }

  deletion {
    criteria = "OLDEST_FIRST"
  }

  update {
    causes         = ["TEMPLATE"]
    max_batch_size = 2
  }
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = var.image
  flavor_name       = var.flavor
  user_data         = "release ${each.value.template.release}"

  network {
    name = var.network
  }

  lifecycle {
    create_before_destroy = true
  }
}

output "placement" {
  value = stackpolicy_placement_attachment.web.summary
}

output "remaining" {
  value = stackpolicy_placement_attachment.web.remaining
}
