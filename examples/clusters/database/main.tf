# Three database servers. Each keeps its volume and its address when its server is made again.
module "db" {
  source = "../../modules/stateful"

  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

  image_name  = "debian-12"
  flavor_name = "m1.tiny"
  network_ids = { RegionOne = var.network_id }

  volume_size    = 10
  volume_zones   = { az-1 = "nova", az-2 = "nova", az-3 = "nova" } # Cinder has one zone, Nova three
  readiness_port = 5432
}

variable "network_id" {
  type = string
}
