import {
  to = stackpolicy_placement_attachment.web
  identity = {
    cluster           = "web"
    node_name_pattern = "{cluster}-{index}" # the default
  }
}
