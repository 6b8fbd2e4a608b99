# A new image is rolled out two nodes at a time, and nodes whose service does not
# answer are replaced. Each apply does one batch.
variable "image" {
  type    = string
  default = "debian-12"
}

resource "stackpolicy_placement_attachment" "api" {
  cluster          = "api"
  desired_capacity = 6
  region           = "RegionOne"
  zones            = [{ name = "az-1" }, { name = "az-2" }]

  template = {
    image = var.image
  }

  health {
    http {
      url = "http://{address}:8080/health"
    }
  }

  update {
    causes         = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size = 2
  }
}

resource "openstack_compute_instance_v2" "api" {
  for_each          = stackpolicy_placement_attachment.api.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = each.value.template.image
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }

  lifecycle {
    create_before_destroy = true
  }
}
