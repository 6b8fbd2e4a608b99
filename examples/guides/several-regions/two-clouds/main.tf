variable "size" {
  type    = number
  default = 6
}

# Two clouds with a Keystone and a login each, as clouds.yaml has them.
provider "stackpolicy" {
  alias = "paris"
  cloud = "paris"
}

provider "stackpolicy" {
  alias = "oslo"
  cloud = "oslo"
}

provider "openstack" {
  alias = "paris"
  cloud = "paris"
}

provider "openstack" {
  alias = "oslo"
  cloud = "oslo"
}

# How many nodes each cloud gets. As the size grows by one, one share grows by
# one, and no other shrinks.
locals {
  share = provider::stackpolicy::distribute(var.size, {
    paris = { weight = 200 }
    oslo  = { cap = 4 }
  })
}

resource "stackpolicy_placement_attachment" "paris" {
  provider         = stackpolicy.paris
  cluster          = "web-paris"
  desired_capacity = lookup(local.share, "paris", 0)
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]
}

resource "stackpolicy_placement_attachment" "oslo" {
  provider         = stackpolicy.oslo
  cluster          = "web-oslo"
  desired_capacity = lookup(local.share, "oslo", 0)
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]
}

resource "openstack_compute_instance_v2" "paris" {
  provider          = openstack.paris
  for_each          = stackpolicy_placement_attachment.paris.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}

resource "openstack_compute_instance_v2" "oslo" {
  provider          = openstack.oslo
  for_each          = stackpolicy_placement_attachment.oslo.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}
