variable "size" {
  type    = number
  default = 10
}

variable "servergroup_id" {
  type    = string
  default = null
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
  ]
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.tiny"

  network {
    name = "shared"
  }

  dynamic "scheduler_hints" {
    for_each = var.servergroup_id[*]
    content {
      group = scheduler_hints.value
    }
  }

  lifecycle {
    ignore_changes = [scheduler_hints]
  }
}
