terraform import stackpolicy_affinity_attachment.db RegionOne/5d1a2f04-86a4-4e1b-9c61-0b3f2c7e8a15

# A group that is deleted with the attachment: <region>/<id>/created.
terraform import stackpolicy_affinity_attachment.db RegionOne/5d1a2f04-86a4-4e1b-9c61-0b3f2c7e8a15/created
