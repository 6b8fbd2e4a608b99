# A new image comes on a quarter of the nodes first. Each batch must serve for ten minutes before the next one begins.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = ["shared"]

  target            = "25%" # when it is good: "100%"
  pause             = "10m"
  readiness_timeout = "30m"
  readiness_url     = "http://{address}:8080/health"
  health_url        = "http://{address}:8080/health"
}
