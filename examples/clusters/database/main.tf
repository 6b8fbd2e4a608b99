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
  default = 3
}

variable "image" {
  type    = string
  default = "debian-12"
}

variable "target" {
  type    = string
  default = "100%"
}

variable "zones_closed" {
  type    = set(string)
  default = []
}

# Slots to give up: their volumes and ports are destroyed.
variable "release" {
  type    = list(string)
  default = []
}

variable "network_id" {
  type = string
}

variable "health_url" {
  type    = string
  default = null
}

# How long an apply waits for new servers.
variable "patience" {
  type    = string
  default = "10m"
}

# Three database servers. Each keeps its volume and its address when its server is made again.
module "web" {
  source = "../../modules/stateful"

  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ name = "RegionOne", zones = [for zone in ["az-1", "az-2", "az-3"] : { name = zone, closed = contains(var.zones_closed, zone) }] }]
  release          = var.release

  image_name  = var.image
  flavor_name = "m1.tiny"
  network_ids = { RegionOne = var.network_id }

  volume_size  = 10
  volume_zones = { az-1 = "nova", az-2 = "nova", az-3 = "nova" } # Cinder has one zone, Nova three

  target            = var.target
  readiness_url     = var.health_url
  readiness_timeout = var.patience
}

output "status" {
  value = module.web.status
}

output "volume_ids" {
  value = module.web.volume_ids
}
