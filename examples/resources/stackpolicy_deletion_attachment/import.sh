terraform import 'stackpolicy_deletion_attachment.web["web-0"]' RegionOne/8f0c6a52-41d7-4b0e-9a5d-7c2f3e1b6d94
