# Shared by up.sh, down.sh, fault.sh and smoke.sh: releases, paths, and daemons by pid file.
# shellcheck shell=bash disable=SC2034
LIB=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
BASE=$(dirname "$LIB")
DATA=$BASE/.data
declare -A SUITE=([zed]=bookworm [2025.1]=trixie [2026.1]=forky) # of Debian
NEWEST=2025.1                                                    # of a stable Debian
PY=python3

START=$(date +%s%N) LAST=$START
say() { # prints a line with the seconds of this step and in total
  local now; now=$(date +%s%N)
  awk -v s=$((now - LAST)) -v a=$((now - START)) -v t="$*" 'BEGIN{printf "%6.1fs  (%5.1fs)  %s\n", s/1e9, a/1e9, t}'
  LAST=$now
}
fail() { echo "FAILED: $*" >&2; exit 1; }

not_here() { # exit code 3: not possible on this machine, which is no failure
  printf '\nNOT POSSIBLE HERE: %s\n' "$*" >&2
  exit 3
}

[[ $BASE != *[[:space:]]* ]] || fail "MariaDB's scripts take no space in a path: $BASE"
mkdir -p "$DATA"

running() { cat "$DATA/running" 2>/dev/null; } # the release that was started last, unless it was stopped

choose() { # RELEASE: sets its paths
  RELEASE=$1
  [ -n "${SUITE[$RELEASE]:-}" ] || { echo "no release $RELEASE; there are: ${!SUITE[*]}" >&2; exit 2; }
  CLOUD_DIR=$DATA/$RELEASE
  ROOT=$CLOUD_DIR/root ETC=$CLOUD_DIR/etc STATE=$CLOUD_DIR/state LOG=$CLOUD_DIR/log RUN=$CLOUD_DIR/run
  mkdir -p "$ETC" "$STATE" "$LOG" "$RUN" "$CLOUD_DIR/tmp"
}

# Only one script at a time. The jobs of a killed up.sh hold the lock until they end.
lock() {
  [ -z "${CLOUD_INSIDE:-}" ] || return 0 # the lock is held since before it entered
  exec 9>"$DATA/lock"
  flock -w 300 9 || fail "another script has held $DATA/lock for 5 minutes"
}

# Runs the script again, from its beginning, inside the root of the release: its
# programs and libraries, with this folder at the same path. The mounts are in a
# namespace of their own. The machine does not see them, and they end with the
# last process. The network and the process numbers are the machine's.
enter() { # SCRIPT ARGUMENT...
  [ -z "${CLOUD_INSIDE:-}" ] || return 0
  local user=()
  [ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
  unshare "${user[@]}" --mount true 2>/dev/null ||
    not_here 'the services run in a mount namespace, and the kernel allows none to this user'
  mkdir -p "$ROOT$BASE"
  # shellcheck disable=SC2016
  exec unshare "${user[@]}" --mount --propagation private bash -c '
    mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && mount --bind "$1" "$0$1" || exit 1
    exec chroot "$0" /usr/bin/env -i CLOUD_INSIDE=1 CLOUD_RELEASE="$2" CLOUD_DIR="$3" CLOUD_START="$4" HOME=/root \
      PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 TMPDIR="$3/tmp" XDG_CACHE_HOME="$3/tmp" no_proxy=127.0.0.1 \
      PYTHONPATH="$1/lib" PYTHONNOUSERSITE=1 PYTHONWARNINGS=ignore PYTHONPYCACHEPREFIX="$3/pycache" "${@:5}"
  ' "$ROOT" "$BASE" "$RELEASE" "$CLOUD_DIR" "$START" "$@"
}
if [ -n "${CLOUD_INSIDE:-}" ]; then
  START=$CLOUD_START
  choose "$CLOUD_RELEASE"
fi

# Start time of a process in clock ticks since boot. Together with the pid it
# names one process for good: a reused pid is never taken for ours.
ticks() { local s; s=$(cat "/proc/$1/stat" 2>/dev/null) || return 1; s=${s##*) }; awk '{print $20}' <<<"$s"; }

alive() { # NAME
  local pid at; read -r pid at 2>/dev/null <"$RUN/$1.pid" || return 1
  [ "$(ticks "$pid")" = "$at" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null
}

# The daemon writes its own pid file before it becomes the daemon, so that it is
# never lost if up.sh is killed. setsid: it leads a group with all its children.
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

halt() { # SIGNAL SECONDS NAME...: sends the signal to all first, then waits for them
  local signal=$1 end=$((SECONDS + $2)) name; shift 2
  for name; do signal "$signal" "$name"; done
  for name; do
    while alive "$name" && [ $SECONDS -lt $end ]; do sleep 0.05; done
    signal KILL "$name" && echo "$name did not end in time: killed"
    while alive "$name"; do sleep 0.05; done
    rm -f "$RUN/$name.pid"
  done
}

halt_all() {
  local names
  mapfile -t names < <(find "$RUN" -name '*.pid' -printf '%f\n' | sed 's/\.pid$//' | grep -vE '^mysql$')
  halt KILL 10 "${names[@]}" # a database rolls back the rest
  halt TERM 20 mysql
  rm -f "$DATA"/{running,clouds.yaml}
}

answers() { # SECONDS NAME COMMAND...: waits until the command succeeds, or the daemon is dead
  local end=$((SECONDS + $1)) name=$2; shift 2
  until alive "$name" && "$@" >/dev/null 2>&1 && alive "$name"; do
    alive "$name" && [ $SECONDS -le $end ] || return 1
    sleep 0.1
  done
}

why() { # NAME: the end of its log
  { grep -E 'Error|ERROR|CRITICAL|error:|in use' "$LOG/$1.log" | tail -n 5; tail -n 5 "$LOG/$1.log"; } >&2
}

ready() { # like answers, but fails
  answers "$@" || { why "$2"; fail "$2 is not ready; its log is $LOG/$2.log"; }
}

tcp() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; } # PORT: whether it is open

http() { # PORT: whether an HTTP server answers
  # shellcheck disable=SC2016
  timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0 && printf "GET / HTTP/1.0\r\n\r\n" >&3 &&
    read -r line <&3 && [[ $line == HTTP/* ]]' "$1"
}
