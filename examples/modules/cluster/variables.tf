variable "name" {
  description = "Name of the cluster. Nodes are named after it: web-0, web-1 and so on."
  type        = string
}

variable "size" {
  description = "Number of nodes."
  type        = number
}

variable "min_size" {
  description = "Minimum number of nodes. A smaller size is an error."
  type        = number
  default     = 0
}

variable "max_size" {
  description = "Maximum number of nodes. A larger size is an error; -1 means no limit."
  type        = number
  default     = -1
}

variable "regions" {
  description = "Regions to spread the nodes over, and the availability zones in each. A region without zones leaves the zone to Nova. One that is closed takes no nodes and keeps those that it has; a closed region is sent no request. A template (image, flavor, user_data) of a region or zone is merged over the one for all."
  type = list(object({
    name   = string
    weight = optional(number, 100)
    cap    = optional(number, -1)
    min    = optional(number, 0)
    closed = optional(bool, false)
    zones = optional(list(object({
      name   = string
      weight = optional(number, 100)
      cap    = optional(number, -1)
      min    = optional(number, 0)
      closed = optional(bool, false)

      template = optional(map(string))
    })))

    template = optional(map(string))
  }))
}

variable "deletion" {
  description = "Which nodes are removed when the cluster shrinks: by criteria, by name (candidates, or kept where somebody keeps the servers), and which are never removed (protected)."
  type = object({
    criteria   = optional(string, "OLDEST_FIRST")
    candidates = optional(list(string))
    kept       = optional(list(string))
    protected  = optional(list(string))
  })
  default = {}
}

variable "update" {
  description = "Which nodes are replaced, and how many by one apply (see stackpolicy_placement_attachment). Null replaces none: then only new nodes get a new image."
  type = object({
    causes             = optional(list(string), ["UNHEALTHY", "TEMPLATE"])
    max_batch_size     = optional(string, "25%")
    target             = optional(string)
    method             = optional(string)
    stop_above         = optional(string)
    require_in_service = optional(bool, true)
  })
  default = {}
}

variable "affinity" {
  description = "Policy of the server groups: one for each region, zone and block of group_size node indexes. With anti-affinity each zone needs group_size hosts. Null makes no groups."
  type        = string
  default     = "soft-anti-affinity"
}

variable "group_size" {
  description = "Number of node indexes that share a server group in a zone, at most the members that Nova allows (10 by default). A later change affects new nodes only."
  type        = number
  default     = 10
}

variable "readiness" {
  description = "When a new node is in service (see stackpolicy_readiness_attachment): always ACTIVE in Nova, and whatever of http, tcp and hook is given, without a break during stable_for, before timeout ends."
  type = object({
    http = optional(object({ url = string, status = optional(string) }))
    tcp  = optional(object({ port = number }))
    hook = optional(object({
      type           = string
      default_result = string
      queue          = optional(string)
      url            = optional(string)
      command        = optional(list(string))
      timeout        = optional(string)
    }))
    stable_for = optional(string)
    timeout    = optional(string)
  })
  default = {}
}

variable "drain" {
  description = "What happens before a node is removed: a hook (see stackpolicy_deletion_attachment), then a shutdown, then a grace period."
  type = object({
    hook = optional(object({
      type           = string
      default_result = string
      queue          = optional(string)
      url            = optional(string)
      command        = optional(list(string))
      timeout        = optional(string)
    }))
    shutdown     = optional(bool, true)
    grace_period = optional(string, "0s")
  })
  default = {}
}

variable "image_name" {
  description = "Image of the nodes, by name: ids differ from region to region. A change replaces nodes, as update says."
  type        = string
}

variable "flavor_name" {
  description = "Flavor of the nodes, by name. A change replaces nodes, as update says."
  type        = string
}

variable "network_name" {
  description = "Network of the nodes. It has this name in every region."
  type        = string
}

variable "key_pair" {
  description = "Key pair for logging in to the nodes. It has this name in every region."
  type        = string
  default     = null
}

variable "security_groups" {
  description = "Security groups of the nodes."
  type        = list(string)
  default     = null
}

variable "user_data" {
  description = "User data of the nodes, such as cloud-init configurations, by version. Keep a version as long as a node uses it (see the output nodes)."
  type        = map(string)
  default     = {}
}

variable "user_data_version" {
  description = "Version of the user data of new nodes: a key of user_data. Null means none."
  type        = string
  default     = null
}

variable "metadata" {
  description = "Metadata of the nodes, in addition to the cluster's name."
  type        = map(string)
  default     = {}
}
