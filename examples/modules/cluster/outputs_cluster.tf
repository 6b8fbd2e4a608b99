# The outputs of this module alone.

output "servers" {
  description = "The servers by the name of their node, each with its id, address, region and zone."
  value = { for name, server in local.servers : name => {
    id     = server.id
    ip     = local.address[name]
    region = server.region
    zone   = server.availability_zone
  } }
}

output "addresses" {
  description = "Address of each node, floating where it has one, once its server is in service: for records of DNS."
  value       = merge(local.address, local.floating)
  depends_on  = [stackpolicy_readiness_attachment.cluster]
}

output "floating_ips" {
  description = "Floating address of each node that has one."
  value       = local.floating
}
