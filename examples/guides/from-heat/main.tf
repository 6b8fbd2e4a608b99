locals {
  regions = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
}

module "web" {
  source           = "../../modules/cluster"
  cluster          = "web"
  desired_capacity = 4
  min_size         = 2
  max_size         = 10
  regions          = local.regions
  image            = "debian-12"
  flavors          = ["m1.small"]
  networks         = ["shared"]
  update           = { max_batch_size = 1, pause = "60s" }
  readiness        = { port = 80 }
}

module "workers" {
  source           = "../../modules/cluster"
  cluster          = "workers"
  desired_capacity = 3
  deletion         = { criteria = "HIGHEST_INDEX_FIRST" }
  regions          = local.regions
  image            = "debian-12"
  flavors          = ["m1.small"]
  networks         = ["shared"]
  update           = { max_batch_size = 2 }
  drain            = { hook_url = var.drain_url, hook_timeout = "10m" }
}

variable "drain_url" {
  description = "Address of what drains a worker."
  type        = string
  sensitive   = true
}
