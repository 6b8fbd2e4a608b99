# A cluster in one region. Zone az-1 always has two nodes at least, az-3 never
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

  # The node in the list is removed, and a new one takes its place.
  deletion {
    candidates = ["db-2"]
  }
}
