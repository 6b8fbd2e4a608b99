#!/bin/sh
# Waits until a new node is Ready (launch), or drains one and takes it out of the
# cluster (termination). Ends with 0 when that is done; the hook's timeout ends
# it otherwise.
set -eu
name=${STACKPOLICY_NODE_NAME:-$NODE_NAME}
transition=${STACKPOLICY_TRANSITION:-$TRANSITION}
case $name in
"" | [!a-z0-9]* | *[!a-z0-9.-]*)
	echo "not the name of a node: $name" >&2
	exit 2
	;;
esac

# The name of the node if Kubernetes knows it. An API server that does not answer
# is a failure, and not a node that is missing.
find_node() { kubectl get node "$name" --ignore-not-found --output=name; }

case $transition in
launch)
	while sleep 2; do
		if ! found=$(find_node); then
			continue # why is on stderr
		elif [ -n "$found" ]; then
			break
		fi
		echo "$name has not joined yet"
	done
	kubectl wait --for=condition=Ready "node/$name" --timeout=15m
	;;
termination)
	found=$(find_node)
	if [ -z "$found" ]; then
		echo "$name has never joined, or has left"
		exit 0
	fi
	kubectl drain "$name" --ignore-daemonsets --delete-emptydir-data
	kubectl delete node "$name"
	;;
*)
	echo "unknown transition: $transition" >&2
	exit 2
	;;
esac
