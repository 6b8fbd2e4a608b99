# Packages: fetched with apt, unpacked under $ROOT. Nothing is installed, no
# maintainer script runs, and no privilege is needed.
# shellcheck shell=bash

PACKAGES=(python3-nova python3-keystone python3-placement python3-glance python3-neutron
          python3-zaqar python3-redis redis-server
          mariadb-server-core mariadb-client-core uwsgi-core uwsgi-plugin-python3)
# Wanted for a file or two (a script, an api-paste.ini), not for what they depend on.
ALONE=(nova-common glance-common neutron-common mariadb-client)
# Large, depended on, and never loaded here: half of the bytes.
SKIP=(cython3 fonts-dejavu-core gawk graphviz ieee-data libaom3 libc6-dev libcairo2 libcephfs2
      libgfortran5 libgvc6 libicu-dev liblapack3 libperl5.36 libprotobuf32 librados2 librav1e0
      librbd1 librdkafka1 librgw2 libsvtav1enc1 libx11-6 libx265-199 libxml2-dev linux-libc-dev
      open-iscsi openssh-client perl-base perl-modules-5.36 python-babel-localedata python3-autobahn
      python3-botocore python3-docutils python3-gevent python3-grpcio python3-mypy python3-networkx
      python3-numpy python3-pip python3-rados python3-sphinx python3-twisted qemu-utils rsync socat
      sphinx-common sudo udev)

not_here() { # exit code 3: this machine cannot, as opposed to it failed
  printf '\n%s\n' "NOT POSSIBLE HERE: $*" \
    'The test cloud needs Debian 12 with its package archive in reach of apt.' >&2
  exit 3
}

apt() { # a set of lists of its own, and a package data base that is empty
  apt-get -o Dir::State::lists="$CLOUD_DIR/apt/lists" -o Dir::Cache="$CLOUD_DIR/apt/cache" \
    -o Dir::State::status=/dev/null -o APT::Sandbox::User= -o Debug::NoLocking=true \
    -o Acquire::Languages=none -o Acquire::Retries=3 "$@" 2>>"$LOG/apt.log"
}

install_packages() {
  local wanted="${PACKAGES[*]} ${ALONE[*]}" skip=" ${SKIP[*]} " name need=() new=()
  [ "$(cat "$ROOT/.complete" 2>/dev/null)" = "$wanted" ] && return
  [ "$(. /etc/os-release 2>/dev/null && echo "$ID $VERSION_ID")" = 'debian 12' ] ||
    not_here "this is $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release 2>/dev/null || uname -s), not Debian 12"
  mkdir -p "$CLOUD_DIR/apt/lists/partial" "$CLOUD_DIR/apt/cache/archives/partial" "$CLOUD_DIR/apt/debs" "$ROOT/.has"
  : >"$LOG/apt.log"
  if [ -z "$(find "$CLOUD_DIR/apt/updated" -mmin -60 2>/dev/null)" ]; then
    apt update >>"$LOG/apt.log"     # of several archives one may well fail
    say 'apt-get update'
  fi
  apt -s install --no-install-recommends "${PACKAGES[@]}" >"$CLOUD_DIR/apt/plan" || {
    grep -E -m 5 '^[EW]: ' "$LOG/apt.log" >&2; not_here "apt does not find the packages; see $LOG/apt.log"; }
  touch "$CLOUD_DIR/apt/updated"
  # The C libraries and Python are the machine's where it has them. The rest is
  # taken from the archive in any case, so what else is installed changes nothing.
  local installed; installed=$(dpkg-query -W -f ' ${Package}:${db:Status-Status} ')
  while read -r name; do
    case $name in python3-minimal | python3-distutils | python3-lib2to3) ;;
      python3-* | mariadb-* | uwsgi-* | redis-*) need+=("$name"); continue ;; esac
    [[ $installed == *" $name:installed "* ]] || need+=("$name")
  done < <(sed -nE 's/^Inst ([^ ]+) .*/\1/p' "$CLOUD_DIR/apt/plan")
  for name in "${need[@]}" "${ALONE[@]}"; do
    [[ $skip == *" $name "* ]] || [ -e "$ROOT/.has/$name" ] || new+=("$name")
  done

  if [ ${#new[@]} -gt 0 ]; then
    (cd "$CLOUD_DIR/apt/debs" && apt download "${new[@]}") >>"$LOG/apt.log" || {
      grep -E -m 5 '^[EW]: ' "$LOG/apt.log" >&2; not_here "the packages cannot be fetched; see $LOG/apt.log"; }
    say "${#new[@]} packages fetched ($(du -sm "$CLOUD_DIR/apt/debs" | cut -f1) MB)"
    # shellcheck disable=SC2016
    find "$CLOUD_DIR/apt/debs" -name '*.deb' -print0 | ROOT=$ROOT xargs -0 -P "$(nproc)" -n 8 bash -c 'for d; do
      n=${d##*/}; dpkg-deb -x "$d" "$ROOT" && touch "$ROOT/.has/${n%%_*}" || exit 255; done' _ || fail 'unpacking packages'
    say 'packages unpacked'
  fi
  rm -rf "$CLOUD_DIR/apt"
  echo "$wanted" >"$ROOT/.complete"
}
