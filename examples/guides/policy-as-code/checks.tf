# The rules for every plan. A check that fails is a warning of the plan and of the
# apply; to refuse the plan, put the same condition into a postcondition of the
# attachment.
check "mins" {
  assert {
    condition = alltrue([
      for zone in var.zones :
      try(stackpolicy_placement_attachment.web.distribution["RegionOne"][zone.name], 0) >= coalesce(zone.min, 0)
    ])
    error_message = "A zone has fewer nodes than its min."
  }
}

check "drained" {
  assert {
    condition     = length(setsubtract(keys(stackpolicy_placement_attachment.web.nodes), keys(stackpolicy_deletion_attachment.web))) == 0
    error_message = "Some nodes have no deletion attachment: they would leave undrained."
  }
}

check "phase" {
  assert {
    condition     = stackpolicy_placement_attachment.web.phase != "held"
    error_message = "The rollout is ${stackpolicy_placement_attachment.web.status}."
  }
}
