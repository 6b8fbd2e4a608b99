# Writes migrate.tf for six servers. It is needed for one apply; remove it afterwards.
cat >migrate.tf <<'END'
import {
  to = stackpolicy_placement_attachment.web
  id = "web"
}
END
for i in $(seq 0 5); do
  printf 'moved {\n  from = openstack_compute_instance_v2.web[%d]\n  to   = openstack_compute_instance_v2.web["web-%d"]\n}\n' "$i" "$i"
done >>migrate.tf
