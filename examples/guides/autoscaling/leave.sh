#!/bin/sh
# Removes the nodes that are named: leave.sh NAME...
set -eu
: "${TERRAFORM:=terraform}"
exec 9>size.lock
flock 9
size=$("$TERRAFORM" output -raw size)
nodes=$("$TERRAFORM" output -raw nodes)
leaving=
for name; do
	case " $nodes " in *" $name "*) # who has left already is not counted again
		size=$((size - 1))
		leaving="$leaving${leaving:+,}\"$name\""
		;;
	esac
done
"$TERRAFORM" apply -auto-approve -input=false -lock-timeout=10m -var "size=$size" -var "leaving=[$leaving]"
