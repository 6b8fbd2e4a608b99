# Workers finish their jobs before they leave: the webhook answers 202 as long as one has any. No worker gets older than 30 days.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]

  image    = "debian-12"
  flavors  = ["m1.small"]
  networks = ["shared"]

  update    = { causes = ["UNHEALTHY", "TEMPLATE", "AGE"], max_age = "30d", max_batch_size = 2 }
  readiness = { url = "http://{address}:8080/health" }
  drain     = { hook_url = var.drain_url, hook_timeout = "15m" }
}

variable "drain_url" {
  type      = string
  sensitive = true
}
