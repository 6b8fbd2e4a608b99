terraform import stackpolicy_placement_attachment.web web

# With names of another pattern: web001, web002 and so on.
terraform import stackpolicy_placement_attachment.web 'web/{cluster}{index:03}'

# In the middle of a rollout, with a kept slot.
terraform import stackpolicy_placement_attachment.web \
  '{"cluster": "web", "templates": [{"image": "debian-12"}], "generations": {"web-1": 3}, "slots": {"web-4": "RegionOne/az-1"}}'
