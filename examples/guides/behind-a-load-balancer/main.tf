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
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]

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

# The grace period is the time of the connections that a node still has when its
# member has left.
resource "stackpolicy_deletion_attachment" "web" {
  for_each     = openstack_compute_instance_v2.web
  server_id    = each.value.id
  region       = each.value.region
  cluster      = "web"
  node_name    = each.key
  grace_period = "1m"

  lifecycle {
    create_before_destroy = true
  }
}

# A member refers to the deletion attachment, so it leaves before its node is
# drained. The pool has a health monitor, so a new member gets no connection before
# it answers.
resource "openstack_lb_member_v2" "web" {
  for_each      = stackpolicy_deletion_attachment.web
  name          = each.key
  pool_id       = var.pool_id
  address       = openstack_compute_instance_v2.web[each.key].access_ip_v4
  protocol_port = 80

  lifecycle {
    create_before_destroy = true
  }
}

# In service is what has run for a while. Old members leave after that, because this
# refers to the members.
resource "stackpolicy_readiness_attachment" "web" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.web.nodes
  servers    = openstack_compute_instance_v2.web
  depends_on = [openstack_lb_member_v2.web]
  stable_for = "10s"
}
