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

# Both providers read clouds.yaml and the OS_* environment variables.
provider "stackpolicy" {}
provider "openstack" {}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }] }]

  deletion {
    criteria = "OLDEST_FIRST"
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

output "placement" {
  value = stackpolicy_placement_attachment.web.summary
}
