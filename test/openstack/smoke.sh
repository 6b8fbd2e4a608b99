#!/bin/bash
# Is the cloud healthy? PASS and FAIL lines; non-zero when one failed.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
# shellcheck source=lib/common.sh
. lib/common.sh
if [ -z "${CLOUD_INSIDE:-}" ]; then
  release=$(running)
  [ -n "$release" ] || fail 'no cloud runs here; up.sh starts one'
  choose "$release"
  enter "$BASE/smoke.sh"
fi
exec "$PY" lib/smoke.py
