# Web servers with addresses of their own, of which a name in the DNS has all. A new server has its address before it is asked, and an old one
# keeps its own until it is drained.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 4
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = [{ name = "shared", floating_ip_pool = "public" }]

  max_batch_size = "50%"
  readiness_url  = "http://{address}/health"
  drain_hook_url = var.drain_url
  grace_period   = "1m" # for clients that still have the old answer of the DNS
}

output "addresses" {
  value = values(module.web.floating_ips) # the records of the name
}

variable "drain_url" {
  type      = string
  sensitive = true
}
