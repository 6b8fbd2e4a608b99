variable "placement_state" {
  description = "State of the folder with the placement."
  type        = string
  default     = "../placement/terraform.tfstate"
}

data "terraform_remote_state" "placement" {
  backend = "local" # or s3, http and so on, with the same config as there
  config  = { path = var.placement_state }
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = data.terraform_remote_state.placement.outputs.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_name        = "debian-12"
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }
}
