# By the name of a running cluster: its servers are those named web-0, web-1 and
# so on, in all regions of the cloud. Regions and zones are filled in from where
# the servers are, and nothing moves.
terraform import stackpolicy_placement_attachment.web web

# The same with names of another pattern: web001, web002 and so on.
terraform import stackpolicy_placement_attachment.web 'web/{cluster}{index}'

# In the middle of a rollout, and with a slot that is kept: what nobody can read in the cloud.
terraform import stackpolicy_placement_attachment.web \
  '{"cluster": "web", "templates": [{"image": "debian-12"}], "generations": {"web-1": 3}, "slots": {"web-4": "RegionOne/az-1"}}'
