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
  default = 8
}

variable "image" {
  type    = string
  default = "debian-12"
}

variable "target" {
  type    = string
  default = "100%"
}

# Places that take no nodes for now: a region, or "RegionOne/az-1".
variable "zones_closed" {
  type    = set(string)
  default = []
}

variable "health_url" {
  type    = string
  default = "http://{address}:8080/health"
}

# How long an apply waits for new servers.
variable "patience" {
  type    = string
  default = "10m"
}

# Three regions: RegionTwo gets half of the nodes, up to its cap; RegionThree, which is small, always has one, and never more than two.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = var.size
  regions = [
    for region in [
      { name = "RegionOne", zones = ["az-1", "az-2", "az-3"], weight = 100, cap = -1, min = 0 },
      { name = "RegionTwo", zones = ["az-1", "az-2"], weight = 200, cap = 4, min = 0 },
      { name = "RegionThree", zones = ["az-1"], weight = 100, cap = 2, min = 1 },
      ] : merge(region, {
        closed = contains(var.zones_closed, region.name)
        zones  = [for zone in region.zones : { name = zone, closed = contains(var.zones_closed, "${region.name}/${zone}") }]
    })
  ]
  respect_quotas = true

  image_name   = var.image
  flavor_name  = "m1.small"
  network_name = "shared"

  max_batch_size = "50%"
  target         = var.target

  readiness_url     = var.health_url
  readiness_timeout = var.patience
}

output "status" {
  value = module.web.status
}

output "distribution" {
  value = module.web.distribution
}
