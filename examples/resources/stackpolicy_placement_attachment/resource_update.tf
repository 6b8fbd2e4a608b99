# A new image is rolled out two nodes at a time, and nodes whose service does not
# answer are replaced. Each apply does one batch.
variable "image" {
  type    = string
  default = "debian-12"
}

resource "stackpolicy_placement_attachment" "api" {
  cluster          = "api"
  desired_capacity = 6
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]

  image   = var.image
  flavors = ["m1.small"]

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

# A server is made once for each generation of its node, and never changes.
resource "terraform_data" "generation" {
  for_each = stackpolicy_placement_attachment.api.nodes
  input    = each.value.generation
}

resource "openstack_compute_instance_v2" "api" {
  for_each          = stackpolicy_placement_attachment.api.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.image_id
  flavor_id         = each.value.flavor_id

  network {
    name = "shared"
  }

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, flavor_id, network, availability_zone]
  }
}

# It marks the servers that are in service: no batch begins before.
resource "stackpolicy_readiness_attachment" "api" {
  cluster = "api"
  nodes   = stackpolicy_placement_attachment.api.nodes
  servers = openstack_compute_instance_v2.api
}
