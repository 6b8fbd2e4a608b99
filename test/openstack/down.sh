#!/bin/bash
# Stop the processes that up.sh started, and nothing else.
#   down.sh           keep the data: the next up.sh uses it
#   down.sh --wipe    remove databases, configuration and logs too; the packages stay
#   down.sh --purge   remove everything, of every release
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
# shellcheck source=lib/common.sh
. lib/common.sh
case ${1:-} in '' | --wipe | --purge) ;; *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;; esac
lock
for release in "${!SUITE[@]}"; do
  [ -d "$DATA/$release/run" ] || continue
  choose "$release"
  halt_all
  [ "${1:-}" != --wipe ] || rm -rf "$STATE" "$RUN" "$LOG" "$ETC" "$CLOUD_DIR"/{tmp,clouds.yaml}
done
say 'all down'
case ${1:-} in
  --wipe) say 'data removed, packages kept' ;;
  --purge) rm -rf "$DATA"; say "$DATA removed" ;;
esac
