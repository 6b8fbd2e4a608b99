# By the name of the cluster. The next apply takes the servers from the
# configuration, and waits for those that have no mark yet.
terraform import stackpolicy_readiness_attachment.web web
