#!/bin/sh
# Gives the member of a node the weight 0, so that it gets no new connections.
# The hook hands on no OS_* variables: the cloud is that of clouds.yaml.
set -eu
exec openstack --os-cloud="$1" loadbalancer member set --weight=0 "$2" "$STACKPOLICY_NODE_NAME"
