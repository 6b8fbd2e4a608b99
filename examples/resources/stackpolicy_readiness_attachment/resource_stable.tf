# For a cluster that cannot be reached from here: ACTIVE in Nova is enough, if it
# lasts for two minutes.
resource "stackpolicy_readiness_attachment" "batch" {
  cluster    = "batch"
  servers    = { for name, id in var.batch_servers : name => { id = id } }
  stable_for = "2m"
}

variable "batch_servers" {
  description = "Ids of the servers that work on batches, by name."
  type        = map(string)
  default     = {}
}
