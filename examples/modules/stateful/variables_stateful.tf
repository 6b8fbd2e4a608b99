# The variables of this module alone.

variable "criteria" {
  description = "Which nodes leave first, of equally good places: HIGHEST_INDEX_FIRST, RANDOM, OLDEST_FIRST, YOUNGEST_FIRST or OLDEST_PROFILE_FIRST. Default: HIGHEST_INDEX_FIRST."
  type        = string
  default     = "HIGHEST_INDEX_FIRST"
  validation {
    condition     = contains(["RANDOM", "OLDEST_FIRST", "YOUNGEST_FIRST", "OLDEST_PROFILE_FIRST", "HIGHEST_INDEX_FIRST"], var.criteria)
    error_message = "criteria is RANDOM, OLDEST_FIRST, YOUNGEST_FIRST, OLDEST_PROFILE_FIRST or HIGHEST_INDEX_FIRST."
  }
}

variable "causes" {
  description = "Why the server of a node is made again, in this order: UNHEALTHY, TEMPLATE, IMAGE (a newer image of its name), FLAVOR, AGE. Default: UNHEALTHY and TEMPLATE. An empty list: only new nodes get a new template."
  type        = list(string)
  default     = ["UNHEALTHY", "TEMPLATE"]
  nullable    = false
  validation {
    condition     = length(setsubtract(var.causes, ["UNHEALTHY", "TEMPLATE", "IMAGE", "FLAVOR", "AGE"])) == 0
    error_message = "causes is a list of UNHEALTHY, TEMPLATE, IMAGE, FLAVOR and AGE. PLACEMENT would move a node away from its volumes."
  }
}

variable "max_batch_size" {
  description = "Maximum number of nodes that an apply makes again, a number or a percentage of desired_capacity. Default: 1."
  type        = string
  default     = "1"
  nullable    = false
  validation {
    condition     = can(regex("^([1-9]\\d*|[1-9]\\d?%|100%)$", var.max_batch_size))
    error_message = "max_batch_size is a number of nodes such as 1, or a percentage such as 25%, at most 100%."
  }
}

variable "on_removal" {
  description = "What happens to the slot of a node that is removed: RETAIN keeps its volumes and ports for the next node, DELETE destroys them. The same for a volume that is taken off volumes. Default: RETAIN."
  type        = string
  default     = "RETAIN"
  validation {
    condition     = contains(["RETAIN", "DELETE"], var.on_removal)
    error_message = "on_removal is RETAIN or DELETE."
  }
}

variable "release" {
  description = "Names of kept slots to give up: their volumes and ports are destroyed. Also names of volumes that volumes has no more. Default: none."
  type        = list(string)
  default     = null
}

variable "grace_period" {
  description = "How long to wait after the shutdown, such as 30s. Default: 0s."
  type        = string
  default     = null
  validation {
    condition     = var.grace_period == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.grace_period))
    error_message = "grace_period is a time such as 30s or 5m, or a number of seconds."
  }
}
