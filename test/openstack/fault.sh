#!/bin/bash
# fault.sh stop|start|hang|resume REGION: a fault in one region's Nova, or its end.
#   stop     killed at once: connections are refused
#   start    started again after stop; returns when all its hosts are up
#   hang     suspended: connections are accepted, answers never come
#   resume   continues after hang
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
for f in common services; do
  # shellcheck source=/dev/null
  . "lib/$f.sh"
done
release=$(running)
[ -n "${CLOUD_INSIDE:-}$release" ] || fail "no cloud runs here; up.sh starts one"
if [ -z "${CLOUD_INSIDE:-}" ]; then
  lock
  choose "$release"
  enter "$BASE/fault.sh" "$@"
fi
eval "$("$PY" lib/model.py)"
short=${SHORT[${2:-none}]:-}
[ -n "$short" ] || { sed -n '2,6s/^# //p' "$0" >&2; echo "regions: ${!SHORT[*]}" >&2; exit 2; }
nova=nova-$short
must_run() { alive "$nova" || fail "Nova of $2 does not run; \"fault.sh start $2\" or up.sh starts it"; }
case $1 in
  stop)
    halt KILL 10 "$nova"
    # Its threads outlive it for a moment, and so does the socket.
    for _ in {1..250}; do tcp "${PORT[$nova]}" || break; sleep 0.02; done ;;
  start)
    start_nova "$short"
    ready 60 "$nova" http "${PORT[$nova]}"
    "$PY" lib/seed.py cloud "$2" || fail "the hosts of $2 are not up" ;;
  hang) must_run "$@"; signal STOP "$nova" ;;
  resume) must_run "$@"; signal CONT "$nova" ;;
  *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;;
esac
say "$1 $2"
