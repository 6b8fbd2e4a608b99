# Three regions. RegionTwo gets twice as many nodes as each of the others, up to its cap. RegionThree is small: one node or two.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 8
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }], weight = 200, cap = 4 },
    { name = "RegionThree", min = 1, cap = 2 },
  ]
  respect_quotas = true

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = ["shared"]

  update    = { max_batch_size = "50%" }
  readiness = { url = "http://{address}:8080/health" }
}
