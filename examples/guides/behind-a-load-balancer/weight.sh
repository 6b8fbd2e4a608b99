#!/bin/sh
# Gives the member of a node the weight 0, so that it gets no new connections.
# The hook hands on PATH and HOME only: the cloud is that of clouds.yaml.
# Arguments: the cloud, and the pool.
set -eu
for argument in "${1:?which cloud?}" "${2:?which pool?}" "${STACKPOLICY_NODE_NAME:?}"; do
	case $argument in
	-* | *[!A-Za-z0-9._-]*)
		echo "not a name: $argument" >&2
		exit 2
		;;
	esac
done
exec openstack --os-cloud="$1" loadbalancer member set --weight=0 "$2" "$STACKPOLICY_NODE_NAME"
