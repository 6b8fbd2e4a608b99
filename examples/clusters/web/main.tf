# Web servers behind a load balancer. A new one is in the pool once it answers. An old one leaves the pool a minute before it stops.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 4
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = ["shared"]

  update    = { max_batch_size = "50%" }
  readiness = { url = "http://{address}/health" }
  drain     = { grace_period = "1m" }
  pools     = { http = { region = "RegionOne", pool_id = var.pool_id, protocol_port = 80 } }
}

variable "pool_id" {
  type = string
}
