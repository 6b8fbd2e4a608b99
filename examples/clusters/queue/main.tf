# Members of a quorum, such as etcd: no volumes, addresses that stay, each on a host of its own, and never more than one out of service.
module "queue" {
  source = "../../modules/stateful"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image_name  = "debian-12"
  flavor_name = "m1.small"
  network_ids = { RegionOne = var.network_id }

  servergroup_policies = "anti-affinity"
  pause                = "5m"
  readiness_port       = 2379
}

variable "network_id" {
  type = string
}
