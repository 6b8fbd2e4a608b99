terraform {
  required_providers {
    openstack = {
      source  = "terraform-provider-openstack/openstack"
      version = "~> 3.0"
    }
    stackpolicy = {
      source = "stackpolicy/stackpolicy"
    }
  }
}

variable "drain_url" {
  description = "Address of the consumer in the cluster. It may have a secret in it."
  type        = string
  sensitive   = true
}

variable "size" {
  description = "Number of workers."
  type        = number
  default     = 3
}

variable "image" {
  description = "Image of new workers. Another one replaces those that are there, one with each apply."
  type        = string
  default     = "debian-12"
}

variable "user_data_version" {
  description = "Another one replaces the workers that are there, as another image does. Raise it when the user data changes."
  type        = string
  default     = "1"
}

variable "api_server" {
  description = "Host and port of the API server."
  type        = string
}

variable "join_token" {
  description = "Token of kubeadm with which new workers join. It may change at any time: only new workers need it."
  type        = string
  sensitive   = true
}

variable "ca_hash" {
  description = "Hash of the cluster's certificate authority, as kubeadm token create --print-join-command shows it."
  type        = string
}

resource "stackpolicy_placement_attachment" "worker" {
  cluster          = "web"
  desired_capacity = var.size
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }, { name = "az-3" }] }]
  image            = var.image
  flavors          = ["m1.small"]
  template         = { user_data = var.user_data_version }

  update {
    causes         = ["UNHEALTHY", "TEMPLATE"]
    max_batch_size = "1"
  }
}

# A server is made once for each generation of its node, and never changes.
resource "terraform_data" "generation" {
  for_each = stackpolicy_placement_attachment.worker.nodes
  input    = each.value.generation
}

# The kubelet registers under the name of the server. Another user data replaces a
# server, and the token expires each day: so changes of it are ignored, and what
# should reach all workers is rolled out by its version in the template.
resource "openstack_compute_instance_v2" "worker" {
  for_each          = stackpolicy_placement_attachment.worker.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.image_id
  flavor_id         = each.value.flavor_id

  user_data = <<-EOT
    #!/bin/sh
    exec kubeadm join ${var.api_server} --node-name ${each.key} --token ${var.join_token} --discovery-token-ca-cert-hash ${var.ca_hash}
  EOT

  network {
    name = "shared"
  }

  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.generation[each.key]]
    ignore_changes        = [image_id, flavor_id, user_data, network, availability_zone]
  }
}

# A worker is drained before its server is destroyed, and leaves Kubernetes.
resource "stackpolicy_deletion_attachment" "worker" {
  for_each  = openstack_compute_instance_v2.worker
  server_id = each.value.id
  region    = each.value.region
  cluster   = "web"
  node_name = each.key

  hook {
    type           = "webhook"
    url            = var.drain_url
    timeout        = "15m"
    default_result = "ABANDON"
  }

  lifecycle {
    create_before_destroy = true
  }
}

# New workers are in service when Kubernetes says that they are Ready. Old ones are
# drained and destroyed after that, because this refers to the deletion attachments.
resource "stackpolicy_readiness_attachment" "worker" {
  cluster    = "web"
  nodes      = stackpolicy_placement_attachment.worker.nodes
  servers    = openstack_compute_instance_v2.worker
  depends_on = [stackpolicy_deletion_attachment.worker]
  timeout    = "20m"

  hook {
    type           = "webhook"
    url            = var.drain_url
    timeout        = "15m"
    default_result = "ABANDON"
  }
}
