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

provider "stackpolicy" {}
provider "openstack" {}

# The nodes as they are.
locals {
  nodes = jsondecode(file("${path.module}/nodes.json"))
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = local.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}

# Terraform forgets the attachment, and changes nothing in the cloud.
removed {
  from = stackpolicy_placement_attachment.web

  lifecycle {
    destroy = false
  }
}
