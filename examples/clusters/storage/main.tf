# A storage cluster such as Ceph: each node has three disks, and an address of its own in the storage network, in addition to the network
# that clients use. The next node is taken only when the hook says that the data of the last one is whole again.
module "storage" {
  source = "../../modules/stateful"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image   = "debian-12"
  flavors = ["m1.small"]
  networks = [
    "shared",
    { name = "storage", addresses = { web-0 = "10.10.200.10", web-1 = "10.10.200.11", web-2 = "10.10.200.12" } },
  ]
  disks = {
    osd-a = { size = 100 }
    osd-b = { size = 100 }
    wal   = { size = 10 }
  }

  readiness = { url = "http://{address}:8080/health" }
  drain     = { hook_url = var.drain_url } # sets the flags that keep data where it is
}

variable "drain_url" {
  type      = string
  sensitive = true
}
