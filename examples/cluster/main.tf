terraform {
  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = "~> 3.0"
    }
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
  }
}

provider "openstack" {
  cloud = "production"
}

provider "stackpolicy" {
  cloud = "production"
}

variable "size" {
  type    = number
  default = 6
}

module "web" {
  source = "../modules/cluster"

  name     = "web"
  size     = var.size
  min_size = 3
  max_size = 20

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }], weight = 200, cap = 6 },
  ]

  image_name   = "debian-12"
  flavor_name  = "m1.small"
  network_name = "shared"
}

output "nodes" {
  value = module.web.nodes
}

output "summary" {
  value = module.web.summary
}
