# A group that somebody else looks after, by the name or id that the servers'
# scheduler hints have. It must exist, may have any policy, and is never deleted.
variable "shared_group" {
  type    = string
  default = "shared"
}

resource "stackpolicy_affinity_attachment" "shared" {
  scheduler_hints {
    group = var.shared_group
  }
}
