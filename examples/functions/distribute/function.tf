# { RegionOne = 1, RegionTwo = 2 }
output "three_more" {
  value = provider::stackpolicy::distribute(3, {
    RegionOne = { cap = 150 }
    RegionTwo = { weight = 200 }
  })
}

# Four are removed: first from what is no longer listed, then from the fullest.
# { "az-1" = 1, "az-3" = 1, "az-old" = 2 }
output "four_fewer" {
  value = provider::stackpolicy::distribute(-4, {
    "az-1"   = { current = 3 }
    "az-2"   = { current = 2 }
    "az-3"   = { current = 3 }
    "az-old" = { current = 2, weight = 0 }
  })
}
