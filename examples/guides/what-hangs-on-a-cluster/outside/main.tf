# A second volume, all members of a pool, and a record, in addition to what the module has.
module "web" {
  source           = "../../../modules/cluster"
  cluster          = "web"
  desired_capacity = 3
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
  image            = var.image
  flavors          = ["m1.small"]
  networks         = [{ name = "shared", floating_ip_pool = "public" }]
  update           = { max_batch_size = 1 }
  readiness        = { url = var.health_url }
  drain            = { hook_url = var.drain_url, grace_period = "60s" } # ttl of the record
  hangs_on         = openstack_compute_volume_attach_v2.cache
}

resource "openstack_blockstorage_volume_v3" "cache" {
  for_each = module.web.servers
  name     = "${each.key}-cache"
  size     = 1
}

resource "openstack_compute_volume_attach_v2" "cache" {
  for_each    = module.web.servers
  instance_id = each.value.id
  volume_id   = openstack_blockstorage_volume_v3.cache[each.key].id
}

resource "openstack_lb_members_v2" "all" {
  pool_id = var.pool_id

  dynamic "member" {
    for_each = module.web.addresses
    content {
      address       = member.value
      protocol_port = 80
    }
  }
}

resource "openstack_dns_recordset_v2" "web" {
  zone_id = var.zone_id
  name    = "web.example.com."
  type    = "A"
  ttl     = 60
  records = values(module.web.addresses)
}

variable "image" {
  type    = string
  default = "debian-12"
}

variable "pool_id" {
  type = string
}

variable "zone_id" {
  type = string
}

variable "health_url" {
  type = string
}

variable "drain_url" {
  type      = string
  sensitive = true
}
