#!/bin/sh
# Names the servers of a group web-0, web-1 and so on, if it is named web: names.sh STACK GROUP
set -eu
group=$(openstack stack resource show "$1" "$2" -f value -c physical_resource_id)
i=0
for id in $(openstack stack resource list "$group" --filter type=OS::Nova::Server -f value -c physical_resource_id); do
	openstack server set --name "$2-$i" "$id"
	i=$((i + 1))
done
