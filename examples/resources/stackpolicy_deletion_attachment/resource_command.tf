# Or, for the same servers, a command. It is run on the machine that runs
# Terraform, and the provider block must allow it.
provider "stackpolicy" {
  allow_commands = true
}

resource "stackpolicy_deletion_attachment" "worker" {
  for_each  = openstack_compute_instance_v2.web
  server_id = each.value.id
  region    = each.value.region
  node_name = each.key
  cluster   = "web"

  hook {
    type           = "command"
    command        = ["kubectl", "drain", each.key, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=10m"]
    environment    = ["KUBECONFIG"]
    timeout        = "11m"
    default_result = "ABANDON"
  }
}
