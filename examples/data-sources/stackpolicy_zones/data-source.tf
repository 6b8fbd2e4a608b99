data "stackpolicy_zones" "all" {
  regions = ["RegionOne", "RegionTwo"]
}

# A zone that is down for a while stays in the list, so its nodes stay too.
resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 6
  regions = [for region in data.stackpolicy_zones.all.regions : {
    name  = region
    zones = [for zone in data.stackpolicy_zones.all.zones : { name = zone.name } if zone.region == region]
  }]
}
