# For a cluster whose nodes say nothing over HTTP: a port that accepts
# connections, such as a database's.
resource "stackpolicy_readiness_attachment" "database" {
  cluster   = "database"
  nodes     = { for name, id in var.database_servers : name => {} }
  servers   = { for name, id in var.database_servers : name => { id = id } }
  addresses = { for name, id in var.database_servers : name => "${name}.example.org" }

  tcp {
    port = 5432
  }
}

variable "database_servers" {
  description = "Ids of the database's servers, by name."
  type        = map(string)
  default     = {}
}
