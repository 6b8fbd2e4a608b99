# By the name of the cluster.
import {
  to = stackpolicy_readiness_attachment.web
  id = "web"
}
