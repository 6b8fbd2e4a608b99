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

# How many nodes get a new image, for a canary: first "25%", then "100%".
variable "target" {
  type    = string
  default = "100%"
}

# Zones that take no nodes for now, and keep those that they have.
variable "zones_closed" {
  type    = set(string)
  default = []
}

variable "pool_id" {
  type = string
}

variable "health_url" {
  type    = string
  default = "http://{address}/health"
}

# How long an apply waits for new servers.
variable "patience" {
  type    = string
  default = "10m"
}

# Web servers behind a load balancer. A new one is in the pool when it answers; an old one leaves the pool a minute before it stops.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ name = "RegionOne", zones = [for zone in ["az-1", "az-2", "az-3"] : { name = zone, closed = contains(var.zones_closed, zone) }] }]

  image_name   = var.image
  flavor_name  = "m1.small"
  network_name = "shared"

  max_batch_size = "50%"
  target         = var.target

  readiness_url     = var.health_url
  readiness_timeout = var.patience
  grace_period      = "1m"
  pools             = { http = { region = "RegionOne", pool_id = var.pool_id, protocol_port = 80 } }
}

output "status" {
  value = module.web.status
}

output "servers" {
  value = module.web.servers
}
