# Web servers with given addresses, one for each node and for each of a batch: an old server keeps its own until it is drained.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 4
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = [{ name = "shared", floating_ips = openstack_networking_floatingip_v2.web[*].address }]

  update    = { max_batch_size = "50%" }
  readiness = { url = "http://{address}/health" }
  drain     = { hook_url = var.drain_url, grace_period = "1m" } # for clients that still have the old answer of the DNS
}

resource "openstack_networking_floatingip_v2" "web" {
  count = 6
  pool  = "public"
}

output "addresses" {
  value = values(module.web.floating_ips) # the records of the name
}

variable "drain_url" {
  type      = string
  sensitive = true
}
