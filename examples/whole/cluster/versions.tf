terraform {
  required_version = ">= 1.8" # OpenTofu: 1.7
  required_providers {
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
    openstack = {
      source = "terraform-provider-openstack/openstack"
    }
  }
}
