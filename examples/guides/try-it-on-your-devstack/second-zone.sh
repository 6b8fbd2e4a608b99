# As devstack-admin: a second zone with the last compute host in it.
host=$(openstack compute service list --service nova-compute -f value -c Host | tail -n 1)
openstack aggregate create --zone az-2 second
openstack aggregate add host second "$host"

# To undo it, once no server is left in az-2:
#   openstack aggregate remove host second "$host"
#   openstack aggregate delete second
