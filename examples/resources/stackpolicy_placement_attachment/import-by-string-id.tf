# By the name of a running cluster: its servers are those named web-0, web-1 and
# so on. Regions and zones are filled in from where they are.
import {
  to = stackpolicy_placement_attachment.web
  id = "web"
}
