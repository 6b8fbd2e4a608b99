#!/bin/bash
# End what up.sh started, and nothing else.
#   down.sh           keep the data: the next up.sh goes on with it
#   down.sh --wipe    remove databases, configuration and logs too; the packages stay
#   down.sh --purge   remove the whole data folder
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
# shellcheck source=lib/common.sh
. lib/common.sh
case ${1:-} in '' | --wipe | --purge) ;; *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;; esac
lock
mapfile -t names < <(find "$RUN" -name '*.pid' -printf '%f\n' | sed 's/\.pid$//' | grep -vE '^(mysql|redis)$')
halt KILL 10 "${names[@]}"   # they keep nothing that a database does not roll back
halt TERM 20 mysql redis
say 'all down'
case ${1:-} in
  --wipe) rm -rf "$STATE" "$RUN" "$LOG" "$ETC" "$CLOUD_DIR"/{tmp,clouds.yaml}; say 'data removed, packages kept' ;;
  --purge) rm -rf "$CLOUD_DIR"; say "$CLOUD_DIR removed" ;;
esac
