terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7
  required_providers {
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}

variable "size" {
  type    = number
  default = 6
}

variable "image" {
  type    = string
  default = "debian-12"
}

# The address of a node's service. "make cloud" prints it; in a real cloud it is
# such as http://{address}:8080/health.
variable "health_url" {
  type = string
}

# Decides where each node belongs, and which ones are replaced.
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }] },
  ]
  respect_quotas = true
  image          = var.image
  flavors        = ["m1.small"]

  deletion {
    criteria = "HIGHEST_INDEX_FIRST"
  }

  health {
    grace = "1s"
    http {
      url = var.health_url
    }
  }

  update {
    causes         = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size = 2
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

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, flavor_id, network, availability_zone]
  }
}

# Stops a server before it is deleted, if it was in service.
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  cluster   = "web"
  node_name = each.key

  lifecycle {
    create_before_destroy = true
  }
}

# New servers must answer before those that they replace are stopped.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web]
  timeout    = "20s"

  http {
    url = var.health_url
  }
}

output "placement" {
  value = stackpolicy_placement_attachment.web.summary
}
