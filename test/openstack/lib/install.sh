# A root for each release: the packages of its Debian, fetched with apt and
# unpacked. Nothing is installed, no maintainer script runs, and no privilege is
# needed, so it takes a fraction of the time and half of the space.
# shellcheck shell=bash disable=SC2154

# The packages of the scripts and the services, on every Debian.
PACKAGES=(base-files bash coreutils dash findutils grep gzip libc-bin mawk python3 sed util-linux
          python3-nova python3-keystone python3-placement python3-glance python3-neutron python3-cinder python3-octavia
          python3-pymysql
          mariadb-server-core mariadb-client-core uwsgi-core uwsgi-plugin-python3)
# Only a file or two of these are needed (a script, an api-paste.ini), not their dependencies.
ALONE=(nova-common glance-common neutron-common cinder-common octavia-common mariadb-client)
# Large dependencies that are never loaded here: half of the bytes.
SKIP=(alembic cython3 e2fsprogs fonts-dejavu-core gawk graphviz ieee-data 'libaom3*' libc6-dev libcairo2 'libcephfs2*'
      'libgfortran5*' 'libglib2.0*' 'libgvc6*' 'libheif*' libicu-dev 'liblapack3*' 'libperl5.*' 'libprotobuf*'
      'librados2*' 'librav1e*' 'librbd1*' 'librdkafka1*' 'librgw2*' 'libsvtav1enc*' libsystemd-shared libx11-6
      'libx265-*' libxml2-dev linux-libc-dev iproute2 open-iscsi openssh-client perl-base 'perl-modules-*'
      python-babel-localedata python3-autobahn python3-botocore python3-docutils python3-gevent python3-googleapi
      python3-grpcio python3-mypy python3-numpy python3-pip python3-rados python3-sphinx
      python3-twisted python3-typeshed qemu-utils rsync socat sphinx-common sudo systemd systemd-dev udev wget)

KEYS=/usr/share/keyrings/debian-archive-keyring.gpg

apt() { # with its own sources, lists and an empty package database
  apt-get -o Dir::Etc::sourcelist="$CLOUD_DIR/apt/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$CLOUD_DIR/apt/lists" -o Dir::Cache="$CLOUD_DIR/apt/cache" \
    -o Dir::State::status=/dev/null -o APT::Sandbox::User= -o Debug::NoLocking=true \
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    -o Acquire::Retries=3 -o APT::Update::Error-Mode=any "$@" 2>>"$LOG/apt.log"
}

no_packages() { grep -E -m 5 '^[EW]: ' "$LOG/apt.log" >&2; not_here "$*; see $LOG/apt.log"; }

plan() { # PACKAGE...: the names of their dependencies
  apt -s install --no-install-recommends "$@" | sed -nE 's/^Inst ([^ ]+) .*/\1/p'
  return "${PIPESTATUS[0]}"
}

install_packages() {
  # shellcheck disable=SC2153 # SUITE is set in common.sh
  local suite=${SUITE[$RELEASE]} wanted="${PACKAGES[*]} ${ALONE[*]} without ${SKIP[*]}" name pattern need new=()
  [ "$(cat "$ROOT/.complete" 2>/dev/null)" = "$wanted" ] && return
  for name in apt-get dpkg-deb unshare chroot flock awk; do
    type -P "$name" >/dev/null || not_here "there is no $name; a Debian has it"
  done
  [ -s "$KEYS" ] || not_here "$KEYS is missing, which Debian signs its packages with (package debian-archive-keyring)"
  mkdir -p "$CLOUD_DIR/apt/lists/partial" "$CLOUD_DIR/apt/cache/archives/partial" "$CLOUD_DIR/apt/debs"
  : >"$LOG/apt.log"
  sources "$suite" >"$CLOUD_DIR/apt/sources.list"
  if [ -z "$(find "$CLOUD_DIR/apt/updated" -mmin -60 2>/dev/null)" ]; then
    apt update >>"$LOG/apt.log" || no_packages "the archive of Debian $suite is not in reach"
    touch "$CLOUD_DIR/apt/updated"
    say "apt-get update for Debian $suite"
  fi
  need=$(plan "${PACKAGES[@]}") || no_packages 'apt does not find the packages'
  # Debian's own root has links from /bin to /usr/bin, so packages may unpack to either.
  mkdir -p "$ROOT"/usr/{bin,sbin,lib,lib64} "$ROOT"/{etc,dev,proc,tmp,run,var/tmp,.has}
  for name in bin sbin lib lib64; do ln -sfn "usr/$name" "$ROOT/$name"; done
  for name in $need "${ALONE[@]}"; do
    for pattern in "${SKIP[@]}"; do
      # shellcheck disable=SC2053
      [[ $name == $pattern ]] && continue 2
    done
    [ -e "$ROOT/.has/$name" ] || new+=("$name")
  done
  if [ ${#new[@]} -gt 0 ]; then
    (cd "$CLOUD_DIR/apt/debs" && apt download "${new[@]}") >>"$LOG/apt.log" || no_packages 'the packages cannot be fetched'
    say "${#new[@]} packages fetched ($(du -sm "$CLOUD_DIR/apt/debs" | cut -f1) MB)"
    # shellcheck disable=SC2016
    find "$CLOUD_DIR/apt/debs" -name '*.deb' -print0 | ROOT=$ROOT xargs -0 -P "$(nproc)" -n 8 bash -c 'for d; do
      n=${d##*/}
      dpkg-deb --fsys-tarfile "$d" | tar -xf - -C "$ROOT" --keep-directory-symlink --no-same-owner --warning=no-timestamp \
        --exclude="./usr/share/doc/*" --exclude="./usr/share/man/*" --exclude="./usr/share/locale/*" &&
        touch "$ROOT/.has/${n%%_*}" || exit 255; done' _ || fail 'unpacking packages'
    say "packages unpacked ($(du -sm "$ROOT" | cut -f1) MB)"
  fi
  # The work of maintainer scripts.
  ln -sfn mawk "$ROOT/usr/bin/awk"
  ln -sfn dash "$ROOT/usr/bin/sh"
  printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$ROOT/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$ROOT/etc/group"
  echo '127.0.0.1 localhost' >"$ROOT/etc/hosts"
  mkdir -p "$ROOT/etc/ssl/certs"
  cat "$ROOT"/usr/share/ca-certificates/mozilla/*.crt >"$ROOT/etc/ssl/certs/ca-certificates.crt"
  local session=$ROOT/usr/lib/python3/dist-packages/oslo_db/sqlalchemy/session.py
  [ "$suite" != forky ] || grep -q EngineFacade "$session" || cat "$LIB/oldfacade.py" >>"$session"
  rm -rf "$CLOUD_DIR/apt"
  echo "$wanted" >"$ROOT/.complete"
}

sources() { # SUITE: its lines for apt
  # forky is not released yet: its list of files may have expired.
  echo "deb [signed-by=$KEYS check-valid-until=no] http://deb.debian.org/debian $1 main"
  # It also lacks Glance. The rest of it is newer than trixie's, so that only Glance comes from there.
  [ "$1" != forky ] || echo "deb [signed-by=$KEYS] http://deb.debian.org/debian trixie main"
}
