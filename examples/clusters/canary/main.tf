# A new image comes on a quarter of the nodes first. Each batch must serve for ten minutes before the next one begins.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = ["shared"]

  update    = { target = "25%", pause = "10m" } # when it is good: target = "100%"
  readiness = { url = "http://{address}:8080/health", timeout = "30m" }
  health    = { url = "http://{address}:8080/health" }
}
