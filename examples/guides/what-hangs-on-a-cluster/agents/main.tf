# Agents join servers whose addresses stay, so that no batch of the servers changes an agent.
module "server" {
  source           = "../../../modules/stateful"
  cluster          = "web-server"
  desired_capacity = 3
  regions          = local.regions
  image            = var.image
  flavors          = ["m1.small"]
  networks         = [{ name = "shared", floating_ip_pool = "public" }]
  disks            = { data = { size = 1 } }
  pools            = { api = { region = "RegionOne", pool_id = var.pool_id, protocol_port = 80 } }
}

module "agent" {
  source           = "../../../modules/cluster"
  cluster          = "web-agent"
  desired_capacity = 2
  regions          = local.regions
  image            = "debian-12"
  flavors          = ["m1.small"]
  networks         = ["shared"]
  user_data        = "retry_join ${join(" ", values(module.server.addresses))}"
}

locals {
  regions = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
}

variable "image" {
  type    = string
  default = "debian-12"
}

variable "pool_id" {
  type = string
}
