#!/bin/bash
# Is the cloud healthy? PASS and FAIL lines; non-zero when one failed.
cd "$(dirname "$(readlink -f "$0")")" || exit 1
# shellcheck source=lib/common.sh
. lib/common.sh
exec "$PY" lib/smoke.py
