"""Write every configuration file, and clouds.yaml."""
import os

from model import DIR, IP, KEYSTONE_URL, PASSWORD, PORT, REGIONS, USERS

SHARE = '/usr/share'


def put(path, text):
    path = os.path.join(DIR, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + '.new', 'w') as f:
        f.write(text)
    os.chmod(path + '.new', 0o600)
    os.replace(path + '.new', path)


def db(name):
    return f'connection = mysql+pymysql://os:{PASSWORD}@{IP}:{PORT["mysql"]}/{name}?charset=utf8'


def login(region=None):
    return f'''
auth_type = password
auth_url = {KEYSTONE_URL}
username = service
password = {PASSWORD}
project_name = service
user_domain_name = Default
project_domain_name = Default
''' + (f'region_name = {region}\nvalid_interfaces = public\n' if region else '')


def common(name):
    return f'''
[keystone_authtoken]
www_authenticate_uri = {KEYSTONE_URL}
interface = public
service_token_roles = service
service_token_roles_required = true
{login()}
[oslo_concurrency]
lock_path = {DIR}/run/lock/{name}
[oslo_messaging_notifications]
driver = noop
'''


put('etc/mysql.cnf', f'''
[mysqld]
datadir = {DIR}/state/mysql
# Below datadir: the path of a socket may have 107 bytes at most.
socket = mysql.sock
pid-file = {DIR}/state/mysql/mysql.pid
bind-address = {IP}
port = {PORT["mysql"]}
skip-name-resolve
character-set-server = utf8mb3
collation-server = utf8mb3_general_ci
max_connections = 400
performance_schema = off
skip-log-bin
# Speed before durability: the data is worth nothing after a power failure.
innodb_flush_log_at_trx_commit = 0
innodb_flush_method = nosync
innodb_doublewrite = 0
innodb_stats_persistent = 0
innodb_buffer_pool_size = 128M
innodb_log_file_size = 32M
aria_pagecache_buffer_size = 8M
key_buffer_size = 1M
table_open_cache = 1000
''')
put('etc/keystone/keystone.conf', f'''
[DEFAULT]
public_endpoint = http://{IP}:{PORT["keystone"]}/
[database]
{db('keystone')}
[token]
provider = fernet
expiration = 86400
[fernet_tokens]
key_repository = {DIR}/state/keystone/fernet
[fernet_receipts]
key_repository = {DIR}/state/keystone/fernet
[credential]
key_repository = {DIR}/state/keystone/credential
[identity]
password_hash_rounds = 4
[cache]
enabled = true
# Not dogpile.cache.memory: requests change what they get from it.
backend = dogpile.cache.memory_pickle
''')
put('etc/glance/glance-api.conf', f'''
[DEFAULT]
transport_url = fake://
[database]
{db('glance')}
[glance_store]
stores = file
default_store = file
filesystem_store_datadir = {DIR}/state/glance
[paste_deploy]
flavor = keystone
{common('glance')}''')
with open(SHARE + '/glance-common/glance-api-paste.ini') as paste:
    put('etc/glance/glance-api-paste.ini', paste.read())    # looked for in addition to the above

for region, r in REGIONS.items():
    s = r['short']
    put(f'etc/placement-{s}/placement.conf', f'''
[placement_database]
{db('placement_' + s)}
{common('placement-' + s)}''')
    put(f'etc/nova-{s}/nova.conf', f'''
[DEFAULT]
host = {s}-ctl
my_ip = {IP}
state_path = {DIR}/state/nova-{s}
transport_url = fake:///
rpc_response_timeout = 60
enabled_apis = osapi_compute
osapi_compute_listen = {IP}
osapi_compute_listen_port = {r['nova']}
osapi_compute_workers = 1
compute_driver = fake.FakeDriver
# Most zones have only one host, and a resize would find no other host.
allow_resize_to_same_host = true
report_interval = 5
service_down_time = 300
update_resources_interval = 30
periodic_fuzzy_delay = 0
# The fake driver forgets its servers when it ends. Nova must not conclude, at
# the next synchronisation, that they were switched off.
sync_power_state_interval = -1
[compute]
# Neutron notifies Nova of no port here. Since 2026.1 a migration waits for a port of every network.
live_migration_wait_for_vif_plug = false
[wsgi]
api_paste_config = {SHARE}/nova-common/api-paste.ini
[api_database]
{db('nova_api_' + s)}
[database]
{db('nova_' + s)}
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 2
[quota]
instances = -1
cores = -1
ram = -1
key_pairs = 1000
server_groups = 1000
server_group_members = 1000
[placement]
{login(region)}
[glance]
{login(region)}
[neutron]
{login(region)}
[cinder]
# Zed finds no service type with a hyphen in the catalogue.
endpoint_template = http://{IP}:{r['cinder']}/v3
os_region_name = {region}
{login()}
# Cinder lets only a service detach, in a user's name.
[service_user]
send_service_user_token = true
{login()}
[vnc]
enabled = false
{common('nova-' + s)}''')
    put(f'etc/neutron-{s}/neutron.conf', f'''
[DEFAULT]
state_path = {DIR}/state/neutron-{s}
bind_host = {IP}
bind_port = {r['neutron']}
api_paste_config = {SHARE}/neutron-common/api-paste.ini
core_plugin = ml2
service_plugins = router
transport_url = fake://
notify_nova_on_port_status_changes = false
notify_nova_on_port_data_changes = true
dhcp_agent_notification = false
[database]
{db('neutron_' + s)}
[nova]
{login(region)}
[ml2]
type_drivers = local
tenant_network_types = local
mechanism_drivers = noagent
extension_drivers = port_security
[quotas]
quota_network = -1
quota_subnet = -1
quota_port = -1
quota_security_group = -1
quota_security_group_rule = -1
quota_floatingip = -1
{common('neutron-' + s)}''')
    # A backend for each zone; the driver keeps nothing.
    zones = list(r['zones'])
    put(f'etc/cinder-{s}/cinder.conf', f'''
[DEFAULT]
host = {s}-ctl
my_ip = {IP}
state_path = {DIR}/state/cinder-{s}
transport_url = fake:///
auth_strategy = keystone
api_paste_config = {SHARE}/cinder-common/api-paste.ini
resource_query_filters_file = /etc/cinder/resource_filters.json
osapi_volume_listen = {IP}
osapi_volume_listen_port = {r['cinder']}
osapi_volume_workers = 1
enabled_backends = {','.join(zones)}
storage_availability_zone = {zones[0]}
glance_api_servers = http://{IP}:{PORT["glance"]}
quota_volumes = -1
quota_gigabytes = -1
quota_snapshots = -1
report_interval = 5
service_down_time = 300
periodic_fuzzy_delay = 0
{''.join(f"""
[{z}]
volume_driver = cinder_nothing.Driver
volume_backend_name = {z}
backend_availability_zone = {z}
""" for z in zones)}
[database]
{db('cinder_' + s)}
[coordination]
backend_url = file://{DIR}/run/lock/cinder-{s}
[nova]
{login(region)}
{common('cinder-' + s)}''')
    put(f'etc/octavia-{s}/octavia.conf', f'''
[DEFAULT]
transport_url = fake:///
[api_settings]
auth_strategy = keystone
bind_host = {IP}
bind_port = {r['octavia']}
enabled_provider_drivers = noop_driver:No-op
default_provider_driver = noop_driver
[controller_worker]
network_driver = network_noop_driver
[networking]
allow_vip_network_id = true
[database]
{db('octavia_' + s)}
[service_auth]
{login()}
{common('octavia-' + s)}''')

put('clouds.yaml', 'clouds:\n' + ''.join(f'''\
  stackpolicy-{user}:
    region_name: RegionOne
    identity_api_version: 3
    auth:
      auth_url: {KEYSTONE_URL}
      username: {user}
      password: {PASSWORD}
      project_name: {project}
      user_domain_name: Default
      project_domain_name: Default
''' for user, project in (('admin', 'admin'), ('member', USERS['member'][0]))))
