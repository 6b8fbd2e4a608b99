variable "size" {
  type    = number
  default = 4
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ name = "RegionOne", zones = [{ name = "az-1" }, { name = "az-2" }] }]
}

output "nodes" {
  value = stackpolicy_placement_attachment.web.nodes
}
