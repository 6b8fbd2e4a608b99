#!/bin/sh
# Gives the cluster the size that its load needs: scale.sh REQUESTS_PER_SECOND
set -eu
per_node=100 # requests per second that a node can serve
case ${1-} in
0?* | *[!0-9]* | "" | ??????????*)
	echo "usage: scale.sh REQUESTS_PER_SECOND, a whole number of up to nine digits" >&2
	exit 2
	;;
esac
size=$((($1 + per_node - 1) / per_node))
exec 9>size.lock
flock 9
"${TERRAFORM:-terraform}" apply -auto-approve -input=false -lock-timeout=10m -var "size=$size"
