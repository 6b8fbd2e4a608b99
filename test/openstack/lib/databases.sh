# The databases: made by the services' own migrations, once. The result, with the
# Keystone seed, is kept as an SQL dump for the next cloud after a wipe.
# shellcheck shell=bash disable=SC2154

sql() { mariadb --no-defaults --protocol=tcp -h "$IP" -P "${PORT[mysql]}" -u root --connect-timeout=5; }

make_datadir() { # before mysql starts
  [ -d "$STATE/mysql" ] && return
  rm -rf "$STATE/mysql.new"
  mariadb-install-db --no-defaults --force --datadir="$STATE/mysql.new" --user="$(id -un)" \
    --innodb-flush-method=nosync --innodb-log-file-size=32M \
    --character-set-server=utf8mb3 --collation-server=utf8mb3_general_ci \
    --auth-root-authentication-method=normal --skip-test-db >"$LOG/mysql-install.log" 2>&1 ||
    { tail -n 20 "$LOG/mysql-install.log" >&2; fail mariadb-install-db; }
  mv "$STATE/mysql.new" "$STATE/mysql"
}

make_keys() {
  "$PY" - "$STATE/keystone" <<'P' || fail 'Keystone keys'
import os
import sys
from cryptography.fernet import Fernet
for kind in 'fernet', 'credential':
    os.makedirs(f'{sys.argv[1]}/{kind}', 0o700, exist_ok=True)
    for name in '01':
        with open(f'{sys.argv[1]}/{kind}/{name}', 'wb') as f:
            f.write(Fernet.generate_key())
P
}

jobs=()
job() { "${@:2}" >"$LOG/init-$1.log" 2>&1 </dev/null & jobs+=("$!:$1"); }
end_jobs() { local j; for j in "${jobs[@]}"; do kill "${j%%:*}" 2>/dev/null; done; }

keystone_init() {
  local k=("$PY" /usr/bin/keystone-manage --config-file "$ETC/keystone/keystone.conf")
  local url=http://$IP:${PORT[keystone]}/v3
  "${k[@]}" db_sync && "${k[@]}" bootstrap --bootstrap-password "$PASSWORD" --bootstrap-region-id RegionOne \
    --bootstrap-public-url "$url" --bootstrap-internal-url "$url" --bootstrap-admin-url "$url"
}

migrate() {
  local s j bad=
  trap end_jobs EXIT
  job keystone keystone_init
  job glance "$PY" /usr/bin/glance-manage --config-file "$ETC/glance/glance-api.conf" db_sync
  for s in "${SHORT[@]}"; do
    job "nova-$s" "$PY" "$LIB/launch.py" nova-init --config-file "$ETC/nova-$s/nova.conf" \
      --cell0 "mysql+pymysql://os:$PASSWORD@$IP:${PORT[mysql]}/nova_cell0_$s?charset=utf8"
    job "neutron-$s" "$PY" /usr/bin/neutron-db-manage --config-file "$ETC/neutron-$s/neutron.conf" upgrade heads
    job "cinder-$s" "$PY" /usr/bin/cinder-manage --config-file "$ETC/cinder-$s/cinder.conf" db sync
    job "octavia-$s" "$PY" /usr/bin/octavia-db-manage --config-file "$ETC/octavia-$s/octavia.conf" upgrade head
    job "placement-$s" "$PY" /usr/bin/placement-manage --config-file "$ETC/placement-$s/placement.conf" db sync
  done
  for j in "${jobs[@]}"; do wait "${j%%:*}" || { bad=1; tail -n 20 "$LOG/init-${j#*:}.log" >&2; }; done
  [ -z "$bad" ] || fail "database set-up; the logs are $LOG/init-*.log"
  trap - EXIT
}

# The name depends on the packages and scripts, because others make other data.
dump_file() {
  local hash
  hash=$({ ls /usr/lib/python3/dist-packages; cat "$LIB"/{model,config,seed,launch}.py; } | sha256sum)
  echo "$CLOUD_DIR/dump/${hash:0:12}.sql.gz"
}

make_databases() { # an interrupted start leaves half of them: begin again
  [ -e "$STATE/databases-made" ] && return
  local d dump; dump=$(dump_file)
  { echo "CREATE OR REPLACE USER os@'$IP' IDENTIFIED BY '$PASSWORD';"
    for d in "${DATABASES[@]}"; do
      echo "DROP DATABASE IF EXISTS $d; CREATE DATABASE $d; GRANT ALL ON $d.* TO os@'$IP';"
    done; } | sql || fail 'creating the databases'
  make_keys
  if [ -s "$dump" ]; then
    gzip -dc "$dump" | sql || fail "restoring $dump"
    touch "$STATE/identity-made" "$STATE/databases-made"
    say 'databases restored from the dump of an earlier start'
  else
    migrate
    touch "$STATE/databases-made"
    say 'databases made'
  fi
}

make_identity() { # users and endpoints; Keystone runs
  [ -e "$STATE/identity-made" ] && return
  local dump; dump=$(dump_file)
  "$PY" "$LIB/seed.py" identity || fail 'making users and endpoints'
  mkdir -p "$CLOUD_DIR/dump"; rm -f "$CLOUD_DIR/dump/"*
  mariadb-dump --no-defaults --protocol=tcp -h "$IP" -P "${PORT[mysql]}" -u root --single-transaction \
    --skip-comments --databases "${DATABASES[@]}" | gzip -9n >"$dump.new" && mv "$dump.new" "$dump"
  touch "$STATE/identity-made"
  say 'users and endpoints made'
}
