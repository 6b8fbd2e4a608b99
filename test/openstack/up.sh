#!/bin/bash
# Start what is missing of a two-region OpenStack on 127.0.0.1; see README.md.
# Exit code: 0 ready, 1 failed, 3 not possible on this machine.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
for f in common install databases services; do
  # shellcheck source=/dev/null
  . "lib/$f.sh"
done
STARTED=()

lock
echo "the test cloud, in $CLOUD_DIR (seconds of this step, seconds so far):"
install_packages
eval "$("$PY" lib/model.py)"
"$PY" lib/config.py || fail 'writing the configuration'
mkdir -p "$STATE"/{redis,glance} "$RUN/lock"

make_datadir
start_stores
ready 30 mysql sql </dev/null
ready 30 redis redis-cli -p "${PORT[redis]}" ping
[ ${#STARTED[@]} -eq 0 ] || say "${STARTED[*]} ready"

make_databases
start_shared
ready 60 keystone http "${PORT[keystone]}"
make_identity
# A region that fault.sh hung goes on.
apis=(glance zaqar)
for s in "${SHORT[@]}"; do
  signal CONT "nova-$s"
  start_region "$s"
  apis+=("placement-$s" "neutron-$s" "nova-$s")
done
for name in "${apis[@]}"; do ready 120 "$name" http "${PORT[$name]}"; done
say "APIs answer; started: ${STARTED[*]:-nothing, all ran already}"

"$PY" lib/seed.py cloud || fail 'making images, flavors, networks and zones'
say "ready: $CLOUD_DIR/clouds.yaml (stackpolicy-admin, stackpolicy-member)"
