# Read replicas behind a pool. They copy their data from the primary, so a slot that is not needed any more is given up. A webhook hears of
# each that leaves, once it is out of the pool.
module "replicas" {
  source = "../../modules/stateful"

  cluster          = "web"
  desired_capacity = 2
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
  on_removal       = "DELETE"

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = ["shared"]

  disks     = { data = { size = 50 } }
  pools     = { sql = { region = "RegionOne", pool_id = var.pool_id, protocol_port = 5432 } }
  readiness = { port = 5432 }
  drain     = { hook_url = var.drain_url }
}

variable "pool_id" {
  type = string
}

variable "drain_url" {
  type      = string
  sensitive = true
}
