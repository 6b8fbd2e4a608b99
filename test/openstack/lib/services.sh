# The start of each daemon. All except the first need the databases.
# shellcheck shell=bash disable=SC2154

start_store() {
  start mysql mariadbd --defaults-file="$ETC/mysql.cnf" --user="$(id -un)"
}

wsgi() { # NAME ENVIRONMENT...
  local name=$1 python=(/usr/lib/uwsgi/plugins/python3[0-9]*_plugin.so); shift
  # Connection: close, because the keep-alive of http-socket breaks some clients.
  start "$name" env SERVICE="$name" "$@" uwsgi-core --plugins-dir /usr/lib/uwsgi/plugins \
    --plugins "$(basename "${python[0]}" _plugin.so)" --http-socket "$IP:${PORT[$name]}" --wsgi-file "$LIB/wsgi.py" \
    --processes 1 --threads 8 --enable-threads --lazy-apps --need-app --die-on-term \
    --buffer-size 65535 --post-buffering 65536 --listen 100 --disable-logging --add-header 'Connection: close'
}

start_shared() {
  wsgi keystone OS_KEYSTONE_CONFIG_DIR="$ETC/keystone"
  wsgi glance OS_GLANCE_CONFIG_DIR="$ETC/glance"
}

start_nova() { # SHORT
  start "nova-$1" "$PY" "$LIB/launch.py" nova --hosts "${HOSTS[$1]}" --port "${PORT[nova-$1]}" \
    --config-file "$ETC/nova-$1/nova.conf"
}

start_region() { # SHORT
  wsgi "placement-$1" OS_PLACEMENT_CONFIG_DIR="$ETC/placement-$1"
  local neutron=(OS_NEUTRON_CONFIG_DIR="$ETC/neutron-$1" OS_NEUTRON_CONFIG_FILES=neutron.conf)
  if [ -d /usr/lib/python3/dist-packages/neutron/cmd/eventlet ]; then
    start "neutron-$1" env "${neutron[@]}" "$PY" "$LIB/launch.py" neutron
  else # since 2025.2
    wsgi "neutron-$1" "${neutron[@]}"
  fi
  start_nova "$1"
  start "cinder-$1" "$PY" "$LIB/launch.py" cinder --config-file "$ETC/cinder-$1/cinder.conf"
  wsgi "octavia-$1"
}
