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
  default = "100%"
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
  default = "10m"
}

# It answers 202 as long as the worker has jobs.
variable "drain_url" {
  type      = string
  sensitive = true
}

# Workers that finish their jobs before they leave: a webhook is notified, and waited for. None gets older than 30 days.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ name = "RegionOne", zones = [for zone in ["az-1", "az-2"] : { name = zone, closed = contains(var.zones_closed, zone) }] }]

  image_name   = var.image
  flavor_name  = "m1.small"
  network_name = "shared"

  causes         = ["UNHEALTHY", "TEMPLATE", "AGE"]
  max_batch_size = 2
  max_age        = "30d"
  target         = var.target

  readiness_url     = var.health_url
  readiness_timeout = var.patience

  drain_hook_url     = var.drain_url
  drain_hook_timeout = "15m"
}

output "status" {
  value = module.web.status
}
