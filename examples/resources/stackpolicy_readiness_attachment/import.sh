# The next apply waits for the servers that have no mark yet.
terraform import stackpolicy_readiness_attachment.web web
