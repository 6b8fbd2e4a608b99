terraform {
  required_providers {
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
  }
}

# The arguments, the environment variables and clouds.yaml are the same as for
# terraform-provider-openstack. With OS_CLOUD set, the block can stay empty.
provider "stackpolicy" {
  cloud = "production"
}
