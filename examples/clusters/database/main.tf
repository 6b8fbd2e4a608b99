# Three database servers. Each keeps its volume and its address when its server is made again.
module "db" {
  source = "../../modules/stateful"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image    = "debian-12"
  flavors  = ["m1.tiny"]
  networks = ["shared"]

  disks     = { data = { size = 10, zone = "nova" } } # Cinder has one zone, Nova three
  readiness = { port = 5432 }
}
