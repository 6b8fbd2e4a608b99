# The variables that both modules have: this file is the same in "cluster" and "stateful". Each has the name of the argument that it
# is handed to, with the block before it where that has one (readiness_url).

# Places of the nodes.

variable "cluster" {
  description = "Name of the cluster. Nodes are named after it: web-0, web-1 and so on."
  type        = string
}

variable "desired_capacity" {
  description = "Number of nodes. Default: the size that the state has, between min_size and max_size."
  type        = number
  default     = null
  validation {
    condition     = try(var.desired_capacity >= 0 && floor(var.desired_capacity) == var.desired_capacity, var.desired_capacity == null)
    error_message = "desired_capacity is a whole number of nodes, 0 or more."
  }
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
  description = "Regions, each with its zones: [{ name = \"RegionOne\", zones = [{ name = \"az-1\" }] }]. Both also take weight (default: 100), cap (-1, none), min (0), closed (false: takes no nodes and keeps its own) and flavors, a region image and user_data too. A region without zones leaves the zone to Nova."
  type        = any # an object type would drop a misspelled key silently
  nullable    = false
  validation {
    condition     = can([for r in var.regions : [r.name, [for z in try(r.zones, null)[*] : z.name]]]) && try(length(var.regions) > 0, false)
    error_message = "regions is a list of objects with a name, such as [{ name = \"RegionOne\", zones = [{ name = \"az-1\" }, { name = \"az-2\" }] }]."
  }
  validation {
    condition     = try(length(setsubtract(flatten([for r in var.regions : keys(r)]), ["name", "weight", "cap", "min", "closed", "image", "flavors", "user_data", "zones"])), 0) == 0
    error_message = "A region has no ${try(join(", ", setsubtract(flatten([for r in var.regions : keys(r)]), ["name", "weight", "cap", "min", "closed", "image", "flavors", "user_data", "zones"])), "such key")}. It has name, weight, cap, min, closed, image, flavors, user_data and zones."
  }
  validation {
    condition     = try(length(setsubtract(flatten([for r in var.regions : [for z in try(r.zones, null)[*] : keys(z)]]), ["name", "weight", "cap", "min", "closed", "flavors"])), 0) == 0
    error_message = "A zone of regions has no ${try(join(", ", setsubtract(flatten([for r in var.regions : [for z in try(r.zones, null)[*] : keys(z)]]), ["name", "weight", "cap", "min", "closed", "flavors"])), "such key")}. It has name, weight, cap, min, closed and flavors."
  }
  validation {
    condition     = alltrue([for r in try(flatten([var.regions]), []) : try(length(r.zones) > 0, true)])
    error_message = "zones of a region has no zone. Leave zones out where Nova chooses the zone of each server."
  }
  validation {
    condition     = alltrue(flatten([for o in try(flatten([for r in var.regions : concat([r], try(r.zones, null)[*])]), []) : [[for k in ["weight", "cap", "min"] : can(tonumber(try(o[k], null)))], can(tobool(try(o.closed, null)))]]))
    error_message = "weight, cap and min of a region or zone are numbers, and closed is true or false."
  }
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
  validation {
    condition     = var.max_age == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.max_age))
    error_message = "max_age is a time such as 30d or 36h, or a number of seconds."
  }
}

variable "pause" {
  description = "How long a batch must have been in service before the next one begins, such as 10m. Default: 0s."
  type        = string
  default     = null
  validation {
    condition     = var.pause == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.pause))
    error_message = "pause is a time such as 10m or 1h30m, or a number of seconds."
  }
}

variable "stop_above" {
  description = "More unhealthy nodes than this, a number or a percentage, are an outage, in which no node is replaced as unhealthy. Default: 50%."
  type        = string
  default     = null
  validation {
    condition     = var.stop_above == null || can(regex("^(\\d+|\\d\\d?%|100%)$", var.stop_above))
    error_message = "stop_above is a number of nodes such as 3, or a percentage such as 50%, at most 100%."
  }
}

variable "target" {
  description = "How many nodes get the wanted template, a number or a percentage: a canary. Default: 100%."
  type        = string
  default     = null
  validation {
    condition     = var.target == null || can(regex("^(\\d+|\\d\\d?%|100%)$", var.target))
    error_message = "target is a number of nodes such as 1, or a percentage such as 25%, at most 100%."
  }
}

# Servers are made from these. A change is for new servers: nodes are replaced in batches.

variable "image" {
  description = "Image of the nodes, by name or id. It is the newest of its name in each region. A newer one of the same name comes with the cause IMAGE."
  type        = string
  nullable    = false
  validation {
    condition     = var.image != ""
    error_message = "image is a name or an id, such as \"debian-12\"."
  }
}

variable "flavors" {
  description = "Flavors of the nodes, by name or id, the first choice first: where one is full the next one is taken."
  type        = list(string)
  nullable    = false
  validation {
    condition     = length(compact(var.flavors)) == max(1, length(var.flavors))
    error_message = "flavors has one flavor or more, such as [\"m1.small\"]."
  }
}

variable "user_data" {
  description = "User data of the nodes, such as a cloud-init configuration. {name}, {index}, {region} and {zone} in it become the node's, but not after a $ or another {. Default: none."
  type        = string
  default     = null
  sensitive   = true
}

variable "networks" {
  description = "Networks of the nodes, by name: [\"shared\"], or as objects, [{ name = \"shared\", floating_ip_pool = \"public\" }]. Keys: name, id, regions and zones that have it (all), port (true: a port of the module's), subnet_id, allowed_address_pairs (addresses), security_group_ids, port_security_enabled, floating_ip_pool and floating_ips, a list of addresses of one region; in the module stateful floating_ips and addresses are by slot."
  type        = any # the placement attachment reads it, and says what is wrong with it
  nullable    = false
}

variable "volumes" {
  description = "Volumes of each node in addition to its disk, by a name of your choice: { data = { size = 100 } }. Also: type; in the module stateful zone, a name or a map by zone of the nodes or region/zone. Default: none."
  type        = any # an object type would drop a misspelled key silently
  default     = {}
  nullable    = false
  validation {
    condition     = try(alltrue([for v in var.volumes : v.size >= 1]), false) && can(keys(var.volumes))
    error_message = "volumes is a map of objects with a size in GiB, such as { data = { size = 100 } }."
  }
  validation {
    condition     = try(length(setsubtract(flatten([for v in var.volumes : keys(v)]), ["size", "type", "zone"])), 0) == 0
    error_message = "A volume has no ${try(join(", ", setsubtract(flatten([for v in var.volumes : keys(v)]), ["size", "type", "zone"])), "such key")}. It has size, type and zone."
  }
}

variable "boot_volume" {
  description = "Volume from which a server boots, which ends with it: { size = 20 }. Also: type. A flavor without a disk needs it. Default: none, the disk of the flavor."
  type        = any # an object type would drop a misspelled key silently
  default     = null
  validation {
    condition     = var.boot_volume == null || try(var.boot_volume.size >= 1, false)
    error_message = "boot_volume is an object with a size in GiB, such as { size = 20 }."
  }
  validation {
    condition     = try(length(setsubtract(keys(var.boot_volume), ["size", "type"])), 0) == 0
    error_message = "boot_volume has no ${try(join(", ", setsubtract(keys(var.boot_volume), ["size", "type"])), "such key")}. It has size and type."
  }
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
  description = "What else hangs on the servers, such as your own records of their addresses: it leaves after the drain of a node, and is there before its new server is asked. Default: nothing."
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
    error_message = "metadata has a key that the module or the provider sets: cluster, or one that begins with stackpolicy_."
  }
}

variable "tags" {
  description = "Tags of the servers. Default: none."
  type        = set(string)
  default     = null
}

# Server groups: one in each zone, or as many as Nova's limit of members asks for.

variable "servergroup_policies" {
  description = "Policy of the server groups, which keep the nodes of a zone on different hosts. With anti-affinity each zone needs a host for each of its nodes, and for those that a batch adds. Default: soft-anti-affinity. Null makes no groups. A change is for new servers."
  type        = string
  default     = "soft-anti-affinity"
  validation {
    condition     = var.servergroup_policies == null || contains(["affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"], coalesce(var.servergroup_policies, "none"))
    error_message = "servergroup_policies is affinity, anti-affinity, soft-affinity, soft-anti-affinity or null."
  }
}

variable "servergroup_ids" {
  description = "Ids of server groups that exist, by region: { RegionOne = \"...\" }. They are inherited, with their policies, and never deleted. Default: none."
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
  description = "Maximum number of members that Nova allows in a server group: your quota server_group_members. Default: 10, Nova's."
  type        = number
  default     = 10
  validation {
    condition     = var.servergroup_size >= 1 && floor(var.servergroup_size) == var.servergroup_size
    error_message = "servergroup_size is a whole number of members, 1 or more."
  }
}

# The check of a node that runs.

variable "health_url" {
  description = "Address that each node must answer, with each refresh, such as http://{address}:8080/health. Default: no check."
  type        = string
  default     = null
  sensitive   = true
  validation {
    condition     = var.health_url == null || can(regex("^https?://.*{(address|name)}", var.health_url))
    error_message = "health_url begins with http:// or https:// and has {address} or {name} of a node in it, such as http://{address}:8080/health."
  }
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
  validation {
    condition     = var.health_port == null || try(var.health_port >= 1 && var.health_port <= 65535 && floor(var.health_port) == var.health_port, false)
    error_message = "health_port is a port between 1 and 65535."
  }
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
  validation {
    condition     = var.health_grace == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.health_grace))
    error_message = "health_grace is a time such as 10m or 1h30m, or a number of seconds."
  }
}

variable "health_timeout" {
  description = "Time to ask all nodes of a region. Default: 10s."
  type        = string
  default     = null
  validation {
    condition     = var.health_timeout == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.health_timeout))
    error_message = "health_timeout is a time such as 10s or 1h30m, or a number of seconds."
  }
}

# The check of a new node: an apply waits for it before anything old is drained.

variable "readiness_url" {
  description = "Address that a new node must answer, such as http://{address}:8080/health. Default: none, ACTIVE in Nova is enough."
  type        = string
  default     = null
  sensitive   = true
  validation {
    condition     = var.readiness_url == null || can(regex("^https?://.*{(address|name)}", var.readiness_url))
    error_message = "readiness_url begins with http:// or https:// and has {address} or {name} of a node in it, such as http://{address}:8080/health."
  }
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
  validation {
    condition     = var.readiness_port == null || try(var.readiness_port >= 1 && var.readiness_port <= 65535 && floor(var.readiness_port) == var.readiness_port, false)
    error_message = "readiness_port is a port between 1 and 65535."
  }
}

variable "readiness_stable_for" {
  description = "How long all checks must pass without a break, such as 30s. Default: once is enough."
  type        = string
  default     = null
  validation {
    condition     = var.readiness_stable_for == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.readiness_stable_for))
    error_message = "readiness_stable_for is a time such as 30s or 1h30m, or a number of seconds."
  }
}

variable "readiness_timeout" {
  description = "How long to wait for all servers of an apply. Default: 10m."
  type        = string
  default     = null
  validation {
    condition     = var.readiness_timeout == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.readiness_timeout))
    error_message = "readiness_timeout is a time such as 10m or 1h30m, or a number of seconds."
  }
}

variable "readiness_allow_link_local" {
  description = "Whether the address of a node may be link-local. Default: false."
  type        = bool
  default     = null
}

variable "readiness_hook_url" {
  description = "Webhook that says that a new node is in service. Default: none."
  type        = string
  default     = null
  sensitive   = true
  validation {
    condition     = var.readiness_hook_url == null || can(regex("^https?://", var.readiness_hook_url))
    error_message = "readiness_hook_url begins with http:// or https://."
  }
}

variable "readiness_hook_command" {
  description = "Command and arguments on the machine that runs Terraform, done when a new node is in service. Default: none."
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
  validation {
    condition     = var.readiness_hook_timeout == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.readiness_hook_timeout))
    error_message = "readiness_hook_timeout is a time such as 5m or 1h30m, or a number of seconds."
  }
}

variable "readiness_hook_default_result" {
  description = "What happens when the hook fails: ABANDON (the node is not in service) or CONTINUE. Default: ABANDON."
  type        = string
  default     = "ABANDON"
  validation {
    condition     = contains(["ABANDON", "CONTINUE"], var.readiness_hook_default_result)
    error_message = "readiness_hook_default_result is ABANDON or CONTINUE."
  }
}

# The drain of a node that leaves.

variable "drain_hook_url" {
  description = "Webhook that is notified, and waited for. Default: none."
  type        = string
  default     = null
  sensitive   = true
  validation {
    condition     = var.drain_hook_url == null || can(regex("^https?://", var.drain_hook_url))
    error_message = "drain_hook_url begins with http:// or https://."
  }
}

variable "drain_hook_command" {
  description = "Command and arguments that are run on the machine that runs Terraform. Default: none."
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
  validation {
    condition     = var.drain_hook_timeout == null || can(regex("^(\\d+|(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?)$", var.drain_hook_timeout))
    error_message = "drain_hook_timeout is a time such as 15m or 1h30m, or a number of seconds."
  }
}

variable "drain_hook_default_result" {
  description = "What happens when the hook fails: ABANDON (the node stays, and the apply ends with an error) or CONTINUE. Default: ABANDON."
  type        = string
  default     = "ABANDON"
  validation {
    condition     = contains(["ABANDON", "CONTINUE"], var.drain_hook_default_result)
    error_message = "drain_hook_default_result is ABANDON or CONTINUE."
  }
}

variable "drain_enabled" {
  description = "Whether nodes are drained. Apply false before you destroy a cluster whose drains are not needed. Default: true."
  type        = bool
  default     = true
}

# Load balancers.

variable "pools" {
  description = "Octavia pools whose members the nodes of a region are, by a name of your choice: { http = { region = \"RegionOne\", pool_id = \"...\", protocol_port = 80 } }. Also: subnet_id, monitor_address, monitor_port and backup. Default: none."
  type        = any # the placement attachment reads it, and says what is wrong with it
  default     = {}
  nullable    = false
}
