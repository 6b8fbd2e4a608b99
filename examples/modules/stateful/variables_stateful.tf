# The variables of this module alone.

variable "criteria" {
  description = <<-EOT
    Which nodes leave first, of equally good places:
    HIGHEST_INDEX_FIRST, RANDOM, OLDEST_FIRST, YOUNGEST_FIRST or OLDEST_PROFILE_FIRST. Default: HIGHEST_INDEX_FIRST.
  EOT
  type        = string
  default     = "HIGHEST_INDEX_FIRST"
}

variable "causes" {
  description = <<-EOT
    Why the server of a node is made again, in this order:
    UNHEALTHY, TEMPLATE, IMAGE (a newer one of its name), FLAVOR, AGE. Default: UNHEALTHY and TEMPLATE.
  EOT
  type        = list(string)
  default     = ["UNHEALTHY", "TEMPLATE"]
  nullable    = false
}

variable "max_batch_size" {
  description = "Maximum number of nodes that an apply makes again, or a percentage of desired_capacity. Default: 1."
  type        = string
  default     = "1"
  nullable    = false
}

variable "on_removal" {
  description = "Whether the slot of a removed node keeps its disks and ports: RETAIN or DELETE. Default: RETAIN."
  type        = string
  default     = "RETAIN"
}

variable "release" {
  description = "Names of kept slots, and of disks that disks has no more, to destroy. Default: none."
  type        = list(string)
  default     = null
}

variable "grace_period" {
  description = "How long a drain waits before the shutdown, such as 30s. Default: 0s."
  type        = string
  default     = null
}
