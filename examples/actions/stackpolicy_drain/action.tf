variable "drain_url" {
  type      = string
  sensitive = true # no argument of an action is by itself
}

resource "stackpolicy_placement_attachment" "web" {
  cluster          = "web"
  desired_capacity = 4
  regions          = [{ zones = [{ name = "az-1" }, { name = "az-2" }] }]
  image            = "debian-12"

  update {
    causes         = ["TEMPLATE"]
    method         = "IN_PLACE"
    max_batch_size = 1
  }
}

# The caller is the server that Terraform updates, or that -target names.
action "stackpolicy_drain" "web" {
  config {
    server_id = caller.id
    region    = caller.region
    cluster   = "web"
    node_name = caller.name

    hook {
      type           = "webhook"
      url            = var.drain_url
      timeout        = "10m"
      default_result = "ABANDON"
    }
  }
}

resource "openstack_compute_instance_v2" "web" {
  for_each          = stackpolicy_placement_attachment.web.nodes
  name              = each.key
  region            = each.value.region
  availability_zone = each.value.zone
  image_id          = each.value.image_id
  flavor_name       = "m1.small"

  network {
    name = "shared"
  }

  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.stackpolicy_drain.web]
    }
  }
}

resource "stackpolicy_readiness_attachment" "web" {
  cluster = "web"
  nodes   = stackpolicy_placement_attachment.web.nodes
  servers = openstack_compute_instance_v2.web

  tcp {
    port = 80
  }
}
