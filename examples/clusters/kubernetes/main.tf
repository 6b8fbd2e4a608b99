# A Kubernetes cluster: a control plane of three, each on a host of its own and never more than one out of service, and workers, which join
# it at an address that stays. Another image is rolled out on the workers once the control plane has it.
module "control" {
  source = "../../modules/stateful"

  cluster          = "web-control"
  desired_capacity = 3
  regions          = local.regions

  image     = var.image
  flavors   = ["m1.small"]
  networks  = [{ name = "shared", allowed_address_pairs = ["10.9.250.1"] }] # the address that keepalived moves
  disks     = { etcd = { size = 10 } }
  user_data = "#!/bin/sh\nkubeadm-control {name}"

  servergroup = { policies = "anti-affinity" }
  update      = { pause = "5m" }
  readiness   = { url = "http://{address}:6443/readyz" }
}

module "workers" {
  source = "../../modules/cluster"

  cluster          = "web-worker"
  desired_capacity = 4
  regions          = local.regions

  image     = var.image
  flavors   = ["m1.tiny"]
  networks  = ["shared"]
  disks     = { root = { size = 20, boot = true } }
  user_data = "#!/bin/sh\nkubeadm-join ${values(module.control.addresses)[0]} --node-name {name} --zone {zone}"

  update    = { max_batch_size = 1, target = module.control.remaining == 0 ? "100%" : "0%" }
  readiness = { url = "http://{address}:10248/healthz" }
  drain     = { hook_url = var.drain_url } # kubectl drain
}

locals {
  regions = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]
}

variable "image" {
  type    = string
  default = "debian-12"
}

variable "drain_url" {
  type      = string
  sensitive = true
}
