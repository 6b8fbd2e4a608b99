variable "size" { type = number }
variable "image" { type = string }
variable "health" { type = string }

# The place, the image and the flavor of each node. An update replaces four nodes with
# each apply, and no more before those are in service.
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
    { name = "RegionTwo", zones = [{ name = "az-1" }, { name = "az-2" }], weight = 200, cap = 6 },
  ]
  image   = var.image
  flavors = ["m1.tiny"]

  update {
    causes         = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size = 4
  }

  deletion {
    criteria = "OLDEST_FIRST"
  }
}

# A server is made once for each generation of its node, and never changes.
resource "terraform_data" "generation" {
  for_each = stackpolicy_placement_attachment.web.nodes
  input    = each.value.generation
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.image_id
  flavor_id         = each.value.flavor_id
  network_mode      = "none"

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, flavor_id, availability_zone]
  }
}

resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key

  lifecycle {
    create_before_destroy = true
  }
}

# New servers must answer before those that they replace are drained.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web]
  timeout    = "3s"

  http {
    url = "${var.health}/{name}" # in your configuration http://{address}:8080/health
  }
}

output "summary" { value = stackpolicy_placement_attachment.web.summary }
output "change" { value = join("\n", coalesce(stackpolicy_placement_attachment.web.change, [])) }
output "remaining" { value = stackpolicy_placement_attachment.web.remaining }
