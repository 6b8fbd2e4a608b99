import {
  to = stackpolicy_readiness_attachment.web
  identity = {
    cluster = "web"
  }
}
