# The servers are mocked, and the planner is the real one. With regions or zones
# it asks Keystone and Nova which of them there are, so it needs credentials.
mock_provider "openstack" {}

run "three_servers_over_two_zones" {
  command = plan

  variables {
    size = 3
  }

  assert {
    condition     = stackpolicy_placement_attachment.web.distribution["RegionOne"] == tomap({ "az-1" = 2, "az-2" = 1 })
    error_message = "Three nodes over two zones of equal weight are 2 and 1."
  }
}
