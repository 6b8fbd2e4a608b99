terraform {
  required_version = ">= 1.8"
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
