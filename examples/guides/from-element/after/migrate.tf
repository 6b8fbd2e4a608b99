# Needed for one apply; remove this file afterwards.

import {
  to = stackpolicy_placement_attachment.web
  id = "web"
}

moved {
  from = openstack_compute_instance_v2.web[0]
  to   = openstack_compute_instance_v2.web["web-0"]
}

moved {
  from = openstack_compute_instance_v2.web[1]
  to   = openstack_compute_instance_v2.web["web-1"]
}

moved {
  from = openstack_compute_instance_v2.web[2]
  to   = openstack_compute_instance_v2.web["web-2"]
}

moved {
  from = openstack_compute_instance_v2.web[3]
  to   = openstack_compute_instance_v2.web["web-3"]
}

moved {
  from = openstack_compute_instance_v2.web[4]
  to   = openstack_compute_instance_v2.web["web-4"]
}

moved {
  from = openstack_compute_instance_v2.web[5]
  to   = openstack_compute_instance_v2.web["web-5"]
}
