# 11: half of 7 is 3 (a percentage rounds towards zero), but at least 4 are added.
output "half_more" {
  value = provider::stackpolicy::desired_capacity(7, {
    adjustment_type = "CHANGE_IN_PERCENTAGE"
    number          = 50
    min_step        = 4
  })
}

# 5: the result would be 2, and min_size raises it.
output "five_fewer" {
  value = provider::stackpolicy::desired_capacity(7, {
    adjustment_type = "CHANGE_IN_CAPACITY"
    number          = -5
    min_size        = 5
  })
}
