# The variables of this module alone.

variable "criteria" {
  description = "Which nodes leave first: RANDOM, OLDEST_FIRST, YOUNGEST_FIRST, OLDEST_PROFILE_FIRST or HIGHEST_INDEX_FIRST. Default: OLDEST_FIRST."
  type        = string
  default     = "OLDEST_FIRST"
  validation {
    condition     = contains(["RANDOM", "OLDEST_FIRST", "YOUNGEST_FIRST", "OLDEST_PROFILE_FIRST", "HIGHEST_INDEX_FIRST"], var.criteria)
    error_message = "criteria is RANDOM, OLDEST_FIRST, YOUNGEST_FIRST, OLDEST_PROFILE_FIRST or HIGHEST_INDEX_FIRST."
  }
}

variable "kept" {
  description = "Candidates whose servers somebody keeps: no batch waits for them. Default: none."
  type        = list(string)
  default     = null
}

variable "causes" {
  description = "Why a node is replaced, in this order: UNHEALTHY, PLACEMENT, TEMPLATE, IMAGE (a newer image of its name), FLAVOR, AGE. Default: UNHEALTHY and TEMPLATE. An empty list: only new nodes get a new template."
  type        = list(string)
  default     = ["UNHEALTHY", "TEMPLATE"]
  nullable    = false
  validation {
    condition     = length(setsubtract(var.causes, ["UNHEALTHY", "PLACEMENT", "TEMPLATE", "IMAGE", "FLAVOR", "AGE"])) == 0
    error_message = "causes is a list of UNHEALTHY, PLACEMENT, TEMPLATE, IMAGE, FLAVOR and AGE."
  }
}

variable "max_batch_size" {
  description = "Maximum number of nodes that an apply replaces, a number or a percentage of desired_capacity. Default: 25%."
  type        = string
  default     = "25%"
  nullable    = false
  validation {
    condition     = can(regex("^([1-9]\\d*|[1-9]\\d?%|100%)$", var.max_batch_size))
    error_message = "max_batch_size is a number of nodes such as 2, or a percentage such as 25%, at most 100%."
  }
}

variable "security_groups" {
  description = "Security groups of the nodes, by name, where a network has no port of the module's. Default: the project's default group."
  type        = list(string)
  default     = null
}

variable "grace_period" {
  description = "How long to wait at the end of a drain, such as 30s: after the shutdown, or with pools before it, for the last connections. Default: 0s."
  type        = string
  default     = null
  validation {
    condition     = var.grace_period == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.grace_period))
    error_message = "grace_period is a time such as 30s or 5m, or a number of seconds."
  }
}

variable "shutdown" {
  description = "Whether the guest is shut down before its server is destroyed. Default: true."
  type        = bool
  default     = true
  nullable    = false
}
