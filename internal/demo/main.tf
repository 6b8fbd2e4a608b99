variable "size" { type = number }
variable "image" { type = string }

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }], weight = 200, cap = 6 },
  ]
  deletion {
    criteria = "OLDEST_FIRST"
  }
}

# In your configuration this is an openstack_compute_instance_v2.
resource "nova_server" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = var.image
  flavor_id         = "m1.tiny"
}

output "summary" { value = stackpolicy_placement_attachment.web.summary }
output "change" { value = stackpolicy_placement_attachment.web.change }
