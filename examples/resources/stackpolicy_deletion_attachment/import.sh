# By <region>/<server id>. An import block of Terraform 1.12 or OpenTofu 1.12 may
# have identity = { region = "RegionOne", server_id = "8f0c..." } in place of id.
terraform import 'stackpolicy_deletion_attachment.web["web-0"]' RegionOne/8f0c6a52-41d7-4b0e-9a5d-7c2f3e1b6d94
