module github.com/stackpolicy/terraform-provider-stackpolicy

go 1.26.0

require (
	github.com/gophercloud/gophercloud/v2 v2.15.0 // indirect
	github.com/gophercloud/utils/v2 v2.0.0-20260424064311-2eeed4ceb3e9 // indirect
	github.com/hashicorp/terraform-exec v0.26.0 // indirect
	github.com/hashicorp/terraform-plugin-framework v1.19.0 // indirect
	github.com/hashicorp/terraform-plugin-framework-timeouts v0.7.0 // indirect
	github.com/hashicorp/terraform-plugin-framework-validators v0.19.0 // indirect
	github.com/hashicorp/terraform-plugin-go v0.31.0 // indirect
	github.com/hashicorp/terraform-plugin-log v0.11.0 // indirect
	github.com/hashicorp/terraform-plugin-testing v1.16.0 // indirect
	github.com/terraform-provider-openstack/utils/v2 v2.0.0-20260520075407-97524fbad4a0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
