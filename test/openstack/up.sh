#!/bin/bash
# up.sh [RELEASE]: start the missing parts of a two-region OpenStack on 127.0.0.1; see README.md.
# Releases: zed, 2025.1, 2026.1; by default the running one, or the newest of a stable Debian.
# Exit code: 0 ready, 1 failed, 2 no such release, 3 not possible on this machine.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
for f in common install databases services; do
  # shellcheck source=/dev/null
  . "lib/$f.sh"
done

if [ -z "${CLOUD_INSIDE:-}" ]; then
  lock
  before=$(running)
  wanted=${1:-${before:-$NEWEST}}
  if [ -n "$before" ] && [ "$before" != "$wanted" ]; then
    choose "$before"
    halt_all
    say "$before ended: the ports are the same"
  fi
  choose "$wanted"
  echo "the test cloud, OpenStack $RELEASE, in $CLOUD_DIR (seconds of this step, seconds so far):"
  install_packages
  enter "$BASE/up.sh"
fi

STARTED=() WITHOUT=()
eval "$("$PY" lib/model.py)"
"$PY" lib/config.py || fail 'writing the configuration'
mkdir -p "$STATE/glance" "$RUN/lock"

make_datadir
echo "$RELEASE" >"$DATA/running"
start_store
ready 30 mysql sql </dev/null
[ ${#STARTED[@]} -eq 0 ] || say "${STARTED[*]} ready"

make_databases
start_shared
ready 60 keystone http "${PORT[keystone]}"
make_identity
# Resume a region that fault.sh hung.
apis=(glance) extras=()
for s in "${SHORT[@]}"; do
  signal CONT "nova-$s"
  start_region "$s"
  apis+=("placement-$s" "neutron-$s" "nova-$s")
  extras+=("cinder-$s" "octavia-$s")
done
for name in "${apis[@]}"; do ready 120 "$name" http "${PORT[$name]}"; done
# Most tests do not need these.
for name in "${extras[@]}"; do
  answers 120 "$name" http "${PORT[$name]}" || { why "$name"; WITHOUT+=("$name"); }
done
say "APIs answer; started: ${STARTED[*]:-nothing, all ran already}"

CLOUD_WITHOUT="${WITHOUT[*]}" "$PY" lib/seed.py cloud || fail 'making images, flavors, networks and zones'
cp "$CLOUD_DIR/clouds.yaml" "$DATA"
for name in "${WITHOUT[@]}"; do
  printf '\n!!! WITHOUT %s: it does not start here; its log is %s\n' "$name" "$LOG/$name.log"
done
say "ready: $DATA/clouds.yaml (stackpolicy-admin, stackpolicy-member)"
