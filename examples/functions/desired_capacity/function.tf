# 11: half of 7 is 3 (a percentage rounds towards zero), but at least 4 come.
output "half_more" {
  value = provider::stackpolicy::desired_capacity(7, {
    adjustment_type = "CHANGE_IN_PERCENTAGE"
    number          = 50
    min_step        = 4
  })
}

# 5: what would be 2 is moved to the least size.
output "five_fewer" {
  value = provider::stackpolicy::desired_capacity(7, {
    adjustment_type = "CHANGE_IN_CAPACITY"
    number          = -5
    min_size        = 5
  })
}
