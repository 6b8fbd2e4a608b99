# Shared by up.sh, down.sh, fault.sh and smoke.sh: paths, and daemons by pid file.
# shellcheck shell=bash disable=SC2034
LIB=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
BASE=$(dirname "$LIB")
export CLOUD_DIR=$BASE/.data
ROOT=$CLOUD_DIR/root ETC=$CLOUD_DIR/etc STATE=$CLOUD_DIR/state LOG=$CLOUD_DIR/log RUN=$CLOUD_DIR/run
# The packages are unpacked under $ROOT, not installed: every path must be given.
# The rest keeps caches and temporary files out of the home and of /tmp.
arch=$(uname -m)-linux-gnu
export PATH=$ROOT/usr/sbin:$ROOT/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LD_LIBRARY_PATH=$ROOT/usr/lib/$arch:$ROOT/lib/$arch
[ -d "/usr/lib/$arch/ossl-modules" ] || export OPENSSL_MODULES=$ROOT/usr/lib/$arch/ossl-modules
export PYTHONPATH=$LIB:$ROOT/usr/lib/python3/dist-packages PYTHONNOUSERSITE=1 PYTHONWARNINGS=ignore
export PYTHONPYCACHEPREFIX=$CLOUD_DIR/pycache XDG_CACHE_HOME=$CLOUD_DIR/tmp TMPDIR=$CLOUD_DIR/tmp
export LC_ALL=C.UTF-8 no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
unset PYTHONHOME PYTHONDONTWRITEBYTECODE "${!OS_@}"
PY=python3

START=$(date +%s%N) LAST=$START
say() { # a line with the seconds of this step and of all so far
  local now; now=$(date +%s%N)
  awk -v s=$((now - LAST)) -v a=$((now - START)) -v t="$*" 'BEGIN{printf "%6.1fs  (%5.1fs)  %s\n", s/1e9, a/1e9, t}'
  LAST=$now
}
fail() { echo "FAILED: $*" >&2; exit 1; }

[[ $BASE != *[[:space:]]* ]] || fail "MariaDB's scripts take no space in a path: $BASE"
mkdir -p "$ETC" "$STATE" "$LOG" "$RUN" "$CLOUD_DIR/tmp"

# Only one script at a time. The jobs of a killed up.sh hold the lock until they end.
lock() {
  exec 9>"$CLOUD_DIR/lock"
  flock -w 300 9 || fail "another script has held $CLOUD_DIR/lock for 5 minutes"
}

# Start time of a process in clock ticks since boot. Together with the pid it
# names one process for good: a reused pid is never taken for ours.
ticks() { local s; s=$(cat "/proc/$1/stat" 2>/dev/null) || return 1; s=${s##*) }; awk '{print $20}' <<<"$s"; }

alive() { # NAME
  local pid at; read -r pid at 2>/dev/null <"$RUN/$1.pid" || return 1
  [ "$(ticks "$pid")" = "$at" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null
}

# The daemon writes its own pid file before it becomes the daemon, so that one
# whose up.sh is killed is never lost. setsid: it leads a group with all its children.
start() { # NAME COMMAND...
  local name=$1; shift
  alive "$name" && return
  rm -f "$RUN/$name.pid"
  # shellcheck disable=SC2016
  setsid bash -c 's=$(cat /proc/$$/stat); s=(${s##*) }); echo "$$ ${s[19]}" >"$0"; exec "$@"' \
    "$RUN/$name.pid" "$@" >>"$LOG/$name.log" 2>&1 </dev/null 9>&- &
  until [ -s "$RUN/$name.pid" ]; do sleep 0.02; done
  STARTED+=("$name")
}

signal() { # SIGNAL NAME
  local pid _
  alive "$2" && read -r pid _ <"$RUN/$2.pid" && kill "-$1" -- "-$pid" 2>/dev/null
}

halt() { # SIGNAL SECONDS NAME...: all get the signal first, then are waited for
  local signal=$1 end=$((SECONDS + $2)) name; shift 2
  for name; do signal "$signal" "$name"; done
  for name; do
    while alive "$name" && [ $SECONDS -lt $end ]; do sleep 0.05; done
    signal KILL "$name" && echo "$name did not end in time: killed"
    while alive "$name"; do sleep 0.05; done
    rm -f "$RUN/$name.pid"
  done
}

ready() { # SECONDS NAME COMMAND...: waits for the command, not for a dead daemon
  local end=$((SECONDS + $1)) name=$2; shift 2
  until alive "$name" && "$@" >/dev/null 2>&1 && alive "$name"; do
    if ! alive "$name" || [ $SECONDS -gt $end ]; then
      { grep -E 'Error|ERROR|CRITICAL|error:|in use' "$LOG/$name.log" | tail -n 5; tail -n 5 "$LOG/$name.log"; } >&2
      fail "$name is not ready; its log is $LOG/$name.log"
    fi
    sleep 0.1
  done
}

tcp() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; } # PORT: somebody listens

http() { # PORT: an HTTP server answers
  # shellcheck disable=SC2016
  timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0 && printf "GET / HTTP/1.0\r\n\r\n" >&3 &&
    read -r line <&3 && [[ $line == HTTP/* ]]' "$1"
}
