# OpenTofu takes this file, and not mocked.tftest.hcl.
#
# No cloud, no credentials: both providers are mocked. A mocked placement
# attachment places nothing, so the test says which nodes there are.
mock_provider "stackpolicy" {}

mock_provider "openstack" {}

override_resource {
  target = stackpolicy_placement_attachment.web
  values = {
    nodes = {
      "web-0" = {
        index    = 0, ordinal = 0, region = "RegionOne", zone = "az-1", closed = false, parts = "RegionOne/az-1"
        template = {}, generation = 1, mark = "1", image_id = "", flavor = "", flavor_id = ""
      }
      "web-1" = {
        index    = 1, ordinal = 1, region = "RegionOne", zone = "az-2", closed = false, parts = "RegionOne/az-2"
        template = {}, generation = 1, mark = "1", image_id = "", flavor = "", flavor_id = ""
      }
    }
  }
}

run "a_server_for_each_node" {
  command = plan # an apply would invent the other values a second time

  assert {
    condition     = output.servers == { "web-0" = "az-1", "web-1" = "az-2" }
    error_message = "Each node needs a server in its zone."
  }
}
