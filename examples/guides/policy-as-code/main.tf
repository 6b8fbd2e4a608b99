variable "image" {
  type    = string
  default = "debian-12"
}

variable "size" {
  type    = number
  default = 6
}

variable "user_data" {
  type    = string
  default = null
}

variable "max_batch_size" {
  type    = number
  default = 2
}

variable "zones" {
  type = list(object({ name = string, min = optional(number) }))
  default = [
    { name = "az-1", min = 1 },
    { name = "az-2", min = 1 },
    { name = "az-3" },
  ]
}

# Whether nodes are drained before they leave.
variable "drain" {
  type    = bool
  default = true
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ zones = var.zones }]
  template         = { image = var.image }

  update {
    causes             = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size     = var.max_batch_size
    require_in_service = false # ACTIVE counts as in service
  }
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = each.value.template.image
  flavor_name       = "m1.tiny"
  user_data         = var.user_data

  network {
    name = "shared"
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "stackpolicy_deletion_attachment" "web" {
  for_each  = var.drain ? openstack_compute_instance_v2.web : {}
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key
  cluster   = "web"

  lifecycle {
    create_before_destroy = true
  }
}
