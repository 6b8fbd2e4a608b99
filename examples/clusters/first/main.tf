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

module "web" {
  source           = "../../modules/cluster"
  cluster          = "web"
  desired_capacity = 6
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2", weight = 200, cap = 3 }] }]
  image            = "debian-12"
  flavors          = ["m1.small"]
  networks         = ["shared"]
  readiness        = { url = var.health_url, timeout = "2m" }
}

variable "health_url" {
  description = "Address at which a server answers once it serves, such as http://{address}/."
  type        = string
}

output "placement" {
  value = module.web.summary
}
