# The variables of this module alone.

variable "criteria" {
  description = <<-EOT
    Which nodes leave first:
    RANDOM, OLDEST_FIRST, YOUNGEST_FIRST, OLDEST_PROFILE_FIRST or HIGHEST_INDEX_FIRST. Default: OLDEST_FIRST.
  EOT
  type        = string
  default     = "OLDEST_FIRST"
}

variable "kept" {
  description = "Candidates whose servers somebody keeps: no batch waits for them. Default: none."
  type        = list(string)
  default     = null
}

variable "causes" {
  description = <<-EOT
    Why a node is replaced, in this order:
    UNHEALTHY, PLACEMENT, TEMPLATE, IMAGE (a newer one of its name), FLAVOR, AGE. Default: UNHEALTHY and TEMPLATE.
  EOT
  type        = list(string)
  default     = ["UNHEALTHY", "TEMPLATE"]
  nullable    = false
}

variable "max_batch_size" {
  description = "Maximum number of nodes that an apply replaces, or a percentage of desired_capacity. Default: 25%."
  type        = string
  default     = "25%"
  nullable    = false
}

variable "security_groups" {
  description = "Names of security groups, where a network has no port of the module's. Default: the project's."
  type        = list(string)
  default     = null
}

variable "grace_period" {
  description = "How long a drain waits for the last connections, such as 30s. Default: 0s."
  type        = string
  default     = null
}

variable "shutdown" {
  description = "Whether the guest is shut down before its server is destroyed. Default: true."
  type        = bool
  default     = null
}
