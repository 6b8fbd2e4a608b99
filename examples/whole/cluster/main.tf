# Everything that the module has, at once, in two regions. Begin with one of examples/clusters.
module "web" {
  source = "../../modules/cluster"

  cluster          = "web"
  desired_capacity = 4
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }] },
  ]

  image     = "debian-12"
  flavors   = ["m1.small", "m1.tiny"]
  networks  = [{ name = "shared", floating_ip_pool = "public" }, { name = "storage", port = true }]
  disks     = { root = { size = 20, boot = true }, cache = { size = 50 } } # they end with their server
  user_data = "#cloud-config\nhostname: {name}\n"
  pools     = { for region, id in var.pool_ids : region => { region = region, pool_id = id, protocol_port = 80 } }

  servergroup = { policies = "anti-affinity", max_server_per_host = 4 }
  update      = { max_batch_size = "50%" }
  readiness   = { url = var.health_url, timeout = "10m", hook_url = var.hook_url }
  health      = { url = var.health_url }
  drain       = { hook_url = var.hook_url, grace_period = "30s" }
}

variable "pool_ids" {
  description = "Ids of the pools, by region."
  type        = map(string)
}

variable "health_url" {
  description = "Address at which a server answers while it serves, such as http://{address}/health."
  type        = string
}

variable "hook_url" {
  description = "Webhook that takes a new node into service, and drains an old one."
  type        = string
  sensitive   = true
}

output "status" {
  value = module.web.status
}
