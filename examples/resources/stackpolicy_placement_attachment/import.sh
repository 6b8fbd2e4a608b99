# By the name of a cluster that runs: its servers are those named web-0, web-1
# and so on, in all regions of the cloud.
terraform import stackpolicy_placement_attachment.web web
