terraform {
  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = "~> 3.0"
    }
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
  }
}

variable "size" {
  type    = number
  default = 3
}

variable "candidates" {
  description = "Names of nodes to replace."
  type        = list(string)
  default     = []
}

variable "pool_id" {
  description = "Pool of the load balancer."
  type        = string
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  zones            = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }]

  deletion {
    candidates = var.candidates
  }
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }

  lifecycle {
    create_before_destroy = true
  }
}

# The members follow the servers. The pool has a health monitor, so a new member
# gets no connection before it answers.
resource "openstack_lb_member_v2" "web" {
  for_each      = openstack_compute_instance_v2.web
  name          = each.key
  pool_id       = var.pool_id
  address       = each.value.access_ip_v4
  protocol_port = 80

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [weight] # which the hooks below change
  }
}

# It depends on the member, so a node is drained while it is still in the pool:
# weight 0, then a minute for the connections that it has.
resource "stackpolicy_deletion_attachment" "web" {
  for_each     = openstack_compute_instance_v2.web
  server_id    = each.value.id
  region       = each.value.region
  cluster      = "web"
  node_name    = each.key
  grace_period = "1m"

  hook {
    type           = "octavia"
    pool_ids       = [var.pool_id]
    default_result = "ABANDON"
  }

  depends_on = [openstack_lb_member_v2.web]

  lifecycle {
    create_before_destroy = true
  }
}

# In service is what has run for a while. Old nodes are drained and destroyed after
# that, because this refers to the deletion attachments.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [stackpolicy_deletion_attachment.web]
  stable_for = "10s"
  # A node that was drained and stays after all gets the weight that it had.
  hook {
    type           = "octavia"
    pool_ids       = [var.pool_id]
    default_result = "ABANDON"
  }
}
