# The variables that both modules have: this file is the same in "cluster" and "stateful". Each has the name of the
# argument or block that it is handed to. The provider checks it, and the module the keys of a block.

# Places of the nodes.

variable "cluster" {
  description = "Name of the cluster. Its nodes are web-0, web-1 and so on."
  type        = string
}

variable "desired_capacity" {
  description = "Number of nodes. Default: the size in the state."
  type        = number
  default     = null
}

variable "min_size" {
  description = "Smallest desired_capacity. Default: 0."
  type        = number
  default     = null
}

variable "max_size" {
  description = "Largest desired_capacity. Default: no limit."
  type        = number
  default     = -1
}

variable "node_name_pattern" {
  description = "Pattern of the names of new nodes. Default: {cluster}-{index}."
  type        = string
  default     = null
}

variable "regions" {
  description = "Regions and zones, as in the placement attachment: [{ name = \"A\", zones = [{ name = \"az-1\" }] }]."
  type        = any
  nullable    = false
}

variable "respect_quotas" {
  description = "Whether to add no more nodes to a region than the project's quotas allow. Default: false."
  type        = bool
  default     = false
}

# Servers are made from these. A change is for new servers: nodes are replaced in batches.

variable "image" {
  description = "Image, by id or name: the newest of its name. A newer one comes with the cause IMAGE."
  type        = string
  nullable    = false
}

variable "flavors" {
  description = "Flavors, by name or id. Where one is full the next one is taken."
  type        = list(string)
  nullable    = false
}

variable "user_data" {
  description = "User data. {name}, {index}, {region} and {zone} in it become the node's. Default: none."
  type        = string
  default     = null
  sensitive   = true
}

variable "networks" {
  description = "Networks, as in the placement attachment: [\"shared\"]."
  type        = any
  nullable    = false
}

variable "disks" {
  description = "Volumes, as in the placement attachment: { data = { size = 100 } }. Default: the flavor's disk."
  type        = any
  default     = null
}

variable "pools" {
  description = "Octavia pools of the nodes, as in the placement attachment. Default: none."
  type        = any
  default     = null
}

variable "key_pair" {
  description = "Key pair, of this name in every region. Default: none."
  type        = string
  default     = null
}

variable "config_drive" {
  description = "Whether the servers get a config drive. Default: Nova's choice."
  type        = bool
  default     = null
}

variable "attempt" {
  description = "Another value tries a template again that has failed. Default: none."
  type        = string
  default     = null
}

# Other arguments of the servers. They change without another server.

variable "hangs_on" {
  description = "Your own resources that refer to the servers: destroyed after a drain. Default: nothing."
  type        = any
  default     = null
}

variable "metadata" {
  description = "Metadata of the servers, in addition to the cluster's name. Default: none."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "tags" {
  description = "Tags of the servers. Default: none."
  type        = set(string)
  default     = null
}

# Blocks.

variable "servergroup" {
  description = <<-EOT
    Server groups: one in each zone, or more, as their size asks.
    - policies: policy of the groups, for new servers, or none. Default: soft-anti-affinity.
    - max_server_per_host: maximum number of members on one host, for anti-affinity. Default: 1.
    - size: maximum size of a group: your quota server_group_members. Default: 10, Nova's.
    - ids: groups that exist, by region. They are never deleted.
  EOT
  type        = any
  default     = {}
  nullable    = false
}

variable "health" {
  description = <<-EOT
    Check of a node that runs.
    - url: address that each node must always answer: http://{address}:8080/health.
    - status: statuses of a good answer. Default: 200-299.
    - port: port that must accept connections.
    - pool_ids: Octavia pools whose health monitor says who is unhealthy.
    - grace: age at which a server is asked first. Default: 10m.
    - timeout: time to ask all nodes of a region. Default: 10s.
  EOT
  type        = any
  default     = {}
  nullable    = false
}

variable "readiness" {
  description = <<-EOT
    Check of a new node, before anything old is drained. Default: ACTIVE is enough.
    - url: address that a new node must answer: http://{address}:8080/health.
    - status: statuses of a good answer. Default: 200-299.
    - port: port that must accept connections.
    - stable_for: how long checks must pass without a break, such as 30s. Default: once is enough.
    - timeout: time for all servers of an apply. Default: 10m.
    - hook_url: webhook that answers once a new node is in service.
    - hook_command: command and its arguments, run by Terraform, that succeeds then.
    - hook_environment: environment variables for hook_command.
    - hook_timeout: time for the hook. Default: 5m.
    - hook_default_result: a hook that fails is an error (ABANDON), or not (CONTINUE). Default: ABANDON.
  EOT
  type        = any
  default     = {}
  nullable    = false
}
