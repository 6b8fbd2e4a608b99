# The variables of this module alone.

variable "security_groups" {
  description = "Names of security groups, where a network has no port of the module's. Default: the project's."
  type        = list(string)
  default     = null
}

variable "deletion" {
  description = <<-EOT
    Which nodes leave.
    - criteria: RANDOM, OLDEST_FIRST, YOUNGEST_FIRST, OLDEST_PROFILE_FIRST, HIGHEST_INDEX_FIRST. Default: OLDEST_FIRST.
    - candidates: nodes, or ids of servers, to remove in a shrink, or to replace.
    - kept: candidates whose servers somebody keeps: no batch waits for them.
    - protected: nodes, or ids of servers, that are never removed or replaced.
  EOT
  type        = any
  default     = {}
  nullable    = false
}

variable "update" {
  description = <<-EOT
    Which nodes are replaced, a batch with each apply.
    - causes: UNHEALTHY, PLACEMENT, TEMPLATE, IMAGE (a newer one), FLAVOR and AGE. Default: UNHEALTHY and TEMPLATE.
    - max_batch_size: maximum number of nodes in a batch, or a percentage of desired_capacity. Default: 25%.
    - max_age: age at which the cause AGE replaces a node, such as 30d.
    - pause: time in service before the next batch begins, such as 10m. Default: 0s.
    - stop_above: number or percentage of unhealthy nodes above which UNHEALTHY replaces no node. Default: 50%.
    - target: number or percentage of nodes that get the wanted template: a canary. Default: 100%.
  EOT
  type        = any
  default     = {}
  nullable    = false
}

variable "drain" {
  description = <<-EOT
    Drain of a node that leaves.
    - enabled: whether to drain. Apply false before a destroy without drains. Default: true.
    - grace_period: time for the last connections, such as 30s. Default: 0s.
    - shutdown: whether the guest is shut down before its server is destroyed. Default: true.
    - hook_url: webhook that drains a node.
    - hook_command: command and its arguments, run by Terraform, that drains a node.
    - hook_environment: environment variables for hook_command.
    - hook_timeout: time for the hook. Default: 5m.
    - hook_default_result: a hook that fails keeps the node (ABANDON), or not (CONTINUE). Default: ABANDON.
  EOT
  type        = any
  default     = {}
  nullable    = false
}

# The keys of the blocks: any other is a mistake.
locals {
  keys = {
    servergroup = ["policies", "max_server_per_host", "size", "ids"]
    deletion    = ["criteria", "candidates", "kept", "protected"]
    update      = ["causes", "max_batch_size", "max_age", "pause", "stop_above", "target"]
    health      = ["url", "status", "port", "pool_ids", "grace", "timeout"]
    readiness   = concat(["url", "status", "port", "stable_for", "timeout"], local.hook_keys)
    drain       = concat(["enabled", "grace_period", "shutdown"], local.hook_keys)
  }
  hook_keys = ["hook_url", "hook_command", "hook_environment", "hook_timeout", "hook_default_result"]

  max_batch_size = coalesce(local.given.update.max_batch_size, "25%")
}
