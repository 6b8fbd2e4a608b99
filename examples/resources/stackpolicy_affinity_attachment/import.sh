# A group that is inherited, and therefore never deleted: <region>/<id>.
terraform import stackpolicy_affinity_attachment.db RegionOne/5d1a2f04-86a4-4e1b-9c61-0b3f2c7e8a15

# One that is deleted with the attachment: <region>/<id>/created.
terraform import stackpolicy_affinity_attachment.db RegionOne/5d1a2f04-86a4-4e1b-9c61-0b3f2c7e8a15/created

# In a configuration, Terraform 1.12 and OpenTofu 1.12 or later take it by
# identity too:
#   import {
#     to       = stackpolicy_affinity_attachment.db
#     identity = { region = "RegionOne", servergroup_id = "5d1a2f04-…", created = true }
#   }
