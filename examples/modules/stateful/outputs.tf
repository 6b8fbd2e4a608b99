# The outputs that both modules have: this file is the same in "cluster" and "stateful".

output "nodes" {
  description = "The nodes by name, each with its index, region, zone, template, generation and mark."
  value       = local.nodes
}

output "phase" {
  description = "What the cluster does, for programs: `in_step`, `behind`, `waits`, `paused`, `outdated` or `held`."
  value       = stackpolicy_placement_attachment.cluster.phase
}

output "status" {
  description = "The same for people, in one line."
  value       = stackpolicy_placement_attachment.cluster.status
}

output "remaining" {
  description = "Number of nodes that are still to be replaced. Apply again until it is 0."
  value       = stackpolicy_placement_attachment.cluster.remaining
}

output "held" {
  description = "What holds nodes that should be replaced, by reason."
  value       = stackpolicy_placement_attachment.cluster.held
}

output "summary" {
  description = "The spread as a table for people."
  value       = stackpolicy_placement_attachment.cluster.summary
}
