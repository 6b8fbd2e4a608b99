variable "size" {
  type    = number
  default = 3
}

variable "image" {
  type    = string
  default = "debian-12"
}

# Slots to give up: their volumes and ports are destroyed.
variable "release" {
  type    = list(string)
  default = []
}

# Zone of Cinder for each zone of Nova whose name it does not have.
variable "volume_zones" {
  type    = map(string)
  default = {}
}

# The network of the ports.
variable "network_id" {
  type = string
}

# Where a database answers once it serves, such as http://{address}:8008/health. For a port alone, write
# tcp { port = 5432 } into the readiness attachment, in place of http.
variable "health_url" {
  type = string
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size

  regions = [
    { name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] },
  ]

  image   = var.image
  flavors = ["m1.tiny"]

  # The slot of a node that is removed is kept.
  stateful {
    on_removal = "RETAIN"
    release    = var.release
  }

  deletion {
    criteria = "HIGHEST_INDEX_FIRST"
  }

  # One node for each apply: its server is destroyed, then made again.
  update {
    causes         = ["TEMPLATE", "UNHEALTHY"]
    max_batch_size = 1
    method         = "RECREATE"
  }
}

# These outlive the servers: for each slot, whether a node is in it or not.
resource "openstack_blockstorage_volume_v3" "web" {
  for_each          = stackpolicy_placement_attachment.web.slots
  name              = each.key
  region            = each.value.region
  availability_zone = lookup(var.volume_zones, each.value.zone, each.value.zone)
  size              = 10

  # A zone is for new volumes: no change of it destroys data.
  lifecycle {
    ignore_changes = [availability_zone]
  }
}

resource "openstack_networking_port_v2" "web" {
  for_each   = stackpolicy_placement_attachment.web.slots
  name       = each.key
  region     = each.value.region
  network_id = var.network_id
}

# These are made again: for each node.
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
  metadata          = { stackpolicy_generation = each.value.generation } # an import reads it

  network {
    port = openstack_networking_port_v2.web[each.key].id
  }

  # Without create_before_destroy: two servers cannot have one port.
  lifecycle {
    replace_triggered_by = [terraform_data.generation[each.key]]
    ignore_changes       = [image_id, flavor_id, metadata, network, availability_zone]
  }
}

resource "openstack_compute_volume_attach_v2" "web" {
  for_each    = openstack_compute_instance_v2.web
  region      = each.value.region
  instance_id = each.value.id
  volume_id   = openstack_blockstorage_volume_v3.web[each.key].id
}

# Stops a server before its volume is detached, because it refers to the attachment.
resource "stackpolicy_deletion_attachment" "web" {
  for_each  = openstack_compute_volume_attach_v2.web
  server_id = each.value.instance_id
  region    = each.value.region
  cluster   = "web"
  node_name = each.key
}

# Marks the servers whose database answers, with their volumes. Without a check, each bad image would cost a database.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web]

  http {
    url = var.health_url
  }
}

# Nodes that are left for the next applies.
output "remaining" {
  value = stackpolicy_placement_attachment.web.remaining
}
