# A cluster in one region. Zone az-1 always has at least two nodes, az-3 never
# more than four.
resource "stackpolicy_placement_attachment" "db" {
  cluster          = "db"
  desired_capacity = 7
  region           = "RegionOne"

  zones = [
    { name = "az-1", min = 2 },
    { name = "az-2", weight = 200 },
    { name = "az-3", cap = 4 },
  ]

  # To replace a node of the running cluster, add its name, such as "db-2": it is
  # removed, and a new one takes its place.
  deletion {
    candidates = []
  }
}
