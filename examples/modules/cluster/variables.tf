# The variables that both modules have: this file is the same in "cluster" and "stateful". Each has the name of the
# argument that it is handed to, with the block before it where that has one (readiness_url). The provider checks it.

# Places of the nodes.

variable "cluster" {
  description = "Name of the cluster. Nodes are named after it: web-0, web-1 and so on."
  type        = string
}

variable "desired_capacity" {
  description = "Number of nodes. Default: the size that the state has, between min_size and max_size."
  type        = number
  default     = null
}

variable "min_size" {
  description = "Smallest desired_capacity. Default: 0."
  type        = number
  default     = null
}

variable "max_size" {
  description = "Largest desired_capacity. Default: -1, no limit."
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

# Nodes to remove, and nodes to keep.

variable "candidates" {
  description = "Names of nodes, or ids of their servers, to remove in a shrink, or to replace. Default: none."
  type        = list(string)
  default     = null
}

variable "protected" {
  description = "Names of nodes, or ids of their servers, that are never removed or replaced. Default: none."
  type        = list(string)
  default     = null
}

# Batches: one with each apply.

variable "max_age" {
  description = "Age at which the cause AGE replaces a node, such as 30d. Default: none."
  type        = string
  default     = null
}

variable "pause" {
  description = "How long a batch must have been in service before the next one begins, such as 10m. Default: 0s."
  type        = string
  default     = null
}

variable "stop_above" {
  description = "Number or percentage of unhealthy nodes above which UNHEALTHY replaces no node. Default: 50%."
  type        = string
  default     = null
}

variable "target" {
  description = "How many nodes get the wanted template, a number or a percentage: a canary. Default: 100%."
  type        = string
  default     = null
}

# Servers are made from these. A change is for new servers: nodes are replaced in batches.

variable "image" {
  description = "Image of the nodes, by name or id: the newest of its name. A newer one comes with the cause IMAGE."
  type        = string
  nullable    = false
}

variable "flavors" {
  description = "Flavors of the nodes, by name or id, the first choice first: where one is full the next one is taken."
  type        = list(string)
  nullable    = false
}

variable "user_data" {
  description = "User data of the nodes. {name}, {index}, {region} and {zone} in it become the node's. Default: none."
  type        = string
  default     = null
  sensitive   = true
}

variable "networks" {
  description = "Networks, as in the placement attachment: [\"shared\"], [{ name = \"web\", port = true }]."
  type        = any
  nullable    = false
}

variable "disks" {
  description = "Volumes, as in the placement attachment: { data = { size = 100 } }. Default: the flavor's disk."
  type        = any
  default     = {}
  nullable    = false
}

variable "key_pair" {
  description = "Key pair for logging in to the nodes, of this name in every region. Default: none."
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
  validation {
    condition     = !anytrue([for key in keys(var.metadata) : startswith(key, "stackpolicy_") || key == "cluster"])
    error_message = "metadata has a key that is set for it: cluster, or one that begins with stackpolicy_."
  }
}

variable "tags" {
  description = "Tags of the servers. Default: none."
  type        = set(string)
  default     = null
}

# Server groups: one in each zone, or as many as Nova's limit of members asks for.

variable "servergroup_policies" {
  description = "Policy of the server groups, for new servers. Null makes none. Default: soft-anti-affinity."
  type        = string
  default     = "soft-anti-affinity"
  validation { # one error, and not one for each zone
    condition     = length(regexall("^(soft-)?(anti-)?affinity$", coalesce(var.servergroup_policies, "affinity"))) > 0
    error_message = "servergroup_policies is affinity, anti-affinity, soft-affinity, soft-anti-affinity or null."
  }
}

variable "servergroup_ids" {
  description = "Ids of server groups that exist, by region. They are inherited, and never deleted. Default: none."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "max_server_per_host" {
  description = "Maximum number of members of a group on one host, for the policy anti-affinity. Default: 1."
  type        = number
  default     = null
}

variable "servergroup_size" {
  description = "Maximum number of members of a server group: your quota server_group_members. Default: 10, Nova's."
  type        = number
  default     = 10
}

# The check of a node that runs.

variable "health_url" {
  description = "Address that each node must always answer: http://{address}:8080/health. Default: no check."
  type        = string
  default     = null
  sensitive   = true
}

variable "health_status" {
  description = "Statuses of a good answer of health_url. Default: 200-299."
  type        = string
  default     = null
}

variable "health_port" {
  description = "Port at which each node must accept connections. Default: no check."
  type        = number
  default     = null
}

variable "health_pool_ids" {
  description = "Ids of Octavia pools whose health monitor says which nodes are unhealthy. Default: none."
  type        = list(string)
  default     = null
}

variable "health_grace" {
  description = "How old a server must be to be asked. Default: 10m."
  type        = string
  default     = null
}

variable "health_timeout" {
  description = "Time to ask all nodes of a region. Default: 10s."
  type        = string
  default     = null
}

# The check of a new node: an apply waits for it before anything old is drained.

variable "readiness_url" {
  description = "Address that a new node must answer: http://{address}:8080/health. Default: none, ACTIVE is enough."
  type        = string
  default     = null
  sensitive   = true
}

variable "readiness_status" {
  description = "Statuses of a good answer of readiness_url. Default: 200-299."
  type        = string
  default     = null
}

variable "readiness_port" {
  description = "Port at which a new node must accept connections. Default: none."
  type        = number
  default     = null
}

variable "readiness_stable_for" {
  description = "How long all checks must pass without a break, such as 30s. Default: once is enough."
  type        = string
  default     = null
}

variable "readiness_timeout" {
  description = "How long to wait for all servers of an apply. Default: 10m."
  type        = string
  default     = null
}

variable "readiness_hook_url" {
  description = "Webhook that answers once a new node is in service. Default: none."
  type        = string
  default     = null
  sensitive   = true
}

variable "readiness_hook_command" {
  description = "Command and arguments, run by Terraform, that succeeds once a new node is in service. Default: none."
  type        = list(string)
  default     = null
}

variable "readiness_hook_environment" {
  description = "Names of environment variables that readiness_hook_command gets. Default: none."
  type        = list(string)
  default     = null
}

variable "readiness_hook_timeout" {
  description = "How long to wait for the hook. Default: 5m."
  type        = string
  default     = null
}

variable "readiness_hook_default_result" {
  description = "What happens when the hook fails: ABANDON (the node is not in service) or CONTINUE. Default: ABANDON."
  type        = string
  default     = "ABANDON"
}

# The drain of a node that leaves.

variable "drain_hook_url" {
  description = "Webhook that drains a node. Default: none."
  type        = string
  default     = null
  sensitive   = true
}

variable "drain_hook_command" {
  description = "Command and its arguments, run by Terraform, that drains a node. Default: none."
  type        = list(string)
  default     = null
}

variable "drain_hook_environment" {
  description = "Names of environment variables that drain_hook_command gets. Default: none."
  type        = list(string)
  default     = null
}

variable "drain_hook_timeout" {
  description = "How long to wait for the hook. Default: 5m."
  type        = string
  default     = null
}

variable "drain_hook_default_result" {
  description = "Result of a hook that fails: ABANDON (the node stays, with an error) or CONTINUE. Default: ABANDON."
  type        = string
  default     = "ABANDON"
}

variable "drain_enabled" {
  description = "Whether nodes are drained. Apply false before you destroy a cluster without drains. Default: true."
  type        = bool
  default     = true
}

# Load balancers.

variable "pools" {
  description = "Octavia pools of the nodes, as in the placement attachment. Default: none."
  type        = any
  default     = {}
  nullable    = false
}
