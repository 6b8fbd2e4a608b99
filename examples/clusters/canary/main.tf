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
  default = 4
}

variable "image" {
  type    = string
  default = "debian-12"
}

variable "target" {
  type    = string
  default = "25%"
}

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
  default = "30m"
}

# A quarter of the nodes gets a new image first. Each batch must serve for ten minutes before the next one begins. If a new server is
# not in service after half an hour, the cluster goes back to the last good image by itself.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ name = "RegionOne", zones = [for zone in ["az-1", "az-2"] : { name = zone, closed = contains(var.zones_closed, zone) }] }]

  image_name   = var.image
  flavor_name  = "m1.small"
  network_name = "shared"

  max_batch_size = "50%"
  target         = var.target
  pause          = "10m"
  revert_after   = "30m"
  stop_above     = "50%"

  health_url        = var.health_url
  readiness_url     = var.health_url
  readiness_timeout = var.patience
}

output "status" {
  value = module.web.status
}
