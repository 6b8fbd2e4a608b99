"""Is the cloud healthy? PASS and FAIL lines; ends with 1 when one failed."""
import sys
import time

from client import Client, Error, wait_for
from model import REGIONS, hosts

MARK = f'smoke-{time.time_ns()}'
failed = 0


def check(what, ok, note=''):
    global failed
    failed += not ok
    print('PASS' if ok else 'FAIL', what, note, flush=True)


def status(call, *args, **named):
    try:
        call(*args, **named)
        return 200
    except Error as e:
        return e.status


def server(c, name, zone, hints=None):
    s = c.nova('POST', '/servers', {'server': dict(
        name=f'{MARK}-{name}', flavorRef='m1.tiny', imageRef=image, networks='none',
        availability_zone=zone), 'os:scheduler_hints': hints or {}})['server']['id']
    return wait_for(f'end of the build of {name}', lambda: (
        lambda s: s['status'] != 'BUILD' and s)(c.nova('GET', '/servers/' + s)['server']))


def region(name):
    a, m, zones = admin.at(name), member.at(name), REGIONS[name]['zones']
    a.nova('DELETE', '/os-quota-sets/' + m.project_id)  # from a run that was killed
    got = a.nova('GET', '/os-availability-zone/detail')['availabilityZoneInfo']
    check(f'{name}: zones and their hosts', {
        z['zoneName']: sorted(z['hosts']) for z in got if z['zoneName'] in zones}
        == {k: sorted(v) for k, v in zones.items()})
    got = a.nova('GET', '/os-hypervisors')['hypervisors']
    check(f'{name}: all hypervisors are up', sorted(
        h['hypervisor_hostname'] for h in got if h['state'] == 'up') == sorted(hosts(name)))
    for path in '/os-hypervisors', '/os-aggregates', '/os-availability-zone/detail':
        check(f'{name}: the member is refused {path}', status(m.nova, 'GET', path) == 403)
    for zone in zones:
        start = time.monotonic()
        s = server(m, zone, zone)
        seconds = time.monotonic() - start
        host = a.nova('GET', '/servers/' + s['id'])['server']['OS-EXT-SRV-ATTR:host']
        check(f'{name}: the member\'s server in {zone} is ACTIVE on one of its hosts',
              s['status'] == 'ACTIVE' and host in zones[zone], f'({seconds:.2f} s)')
    check(f'{name}: an unknown zone is refused', status(server, m, 'x', 'az-unknown') == 400)

    group = m.call('POST', 'compute', '/os-server-groups', {'server_group': dict(
        name=MARK, policy='anti-affinity')}, '2.64')['server_group']
    two = [server(m, f'group-{i}', 'az-1', {'group': group['id']}) for i in range(3)]
    check(f'{name}: anti-affinity on two hosts: two servers ACTIVE, the third in ERROR',
          [s['status'] for s in two] == ['ACTIVE', 'ACTIVE', 'ERROR']
          and two[0]['hostId'] != two[1]['hostId'])
    m.nova('DELETE', '/os-server-groups/' + group['id'])
    cleanup(name, m)


def cleanup(name, c):
    def left():
        return [s['id'] for s in c.nova('GET', '/servers?name=^smoke-')['servers']]
    ids = left()
    for s in ids:
        c.nova('DELETE', '/servers/' + s)
    wait_for('end of the deletes', lambda: not left())
    check(f'{name}: {len(ids)} servers deleted', True)


def quotas(name):
    a, m = admin.at(name), member.at(name)

    def limits():
        return m.nova('GET', '/limits')['limits']['absolute']
    before = limits()
    path = '/os-quota-sets/' + m.project_id
    a.nova('PUT', path, {'quota_set': dict(instances=1, cores=2, ram=128)})
    now = limits()
    check(f'{name}: the admin sets quotas, the member sees them',
          (now['maxTotalInstances'], now['maxTotalCores'], now['maxTotalRAMSize']) == (1, 2, 128))
    server(m, 'quota', 'az-1')
    check(f'{name}: a server past the quota is refused', status(server, m, 'x', 'az-1') == 403)
    a.nova('DELETE', path)
    check(f'{name}: quotas are back', limits()['maxTotalInstances'] == before['maxTotalInstances'])
    cleanup(name, m)


def volume(name):
    def cinder(method, path, body=None):
        return c.call(method, 'block-storage', f'/{c.project_id}/volumes{path}', body)

    def status(want):
        wait_for('a volume that is ' + want, lambda: cinder('GET', '/' + v['id'])['volume']['status'] == want)
    c, zone = member.at(name), list(REGIONS[name]['zones'])[-1]
    v = cinder('POST', '', {'volume': dict(name=MARK, size=1, availability_zone=zone)})['volume']
    status('available')
    path = f'/servers/{server(c, "volume", zone)["id"]}/os-volume_attachments'
    c.nova('POST', path, {'volumeAttachment': dict(volumeId=v['id'])})
    status('in-use')
    c.nova('DELETE', f'{path}/{v["id"]}')
    status('available')
    cinder('DELETE', '/' + v['id'])
    check(f'{name}: a volume in {zone} is attached and detached', True)
    cleanup(name, c)


def balancer(name):
    def octavia(method, path, body=None):
        return c.call(method, 'load-balancer', '/v2/lbaas' + path, body)

    def make(kind, path, **fields):
        made = octavia('POST', path, {kind: fields})[kind]
        wait_for('an active load balancer', lambda: octavia(
            'GET', '/loadbalancers/' + (lb or made['id']))['loadbalancer']['provisioning_status'] == 'ACTIVE')
        return made['id']
    c, lb = member.at(name), None
    subnet = c.call('GET', 'network', '/networks?name=shared')['networks'][0]['subnets'][0]
    lb = make('loadbalancer', '/loadbalancers', name=MARK, vip_subnet_id=subnet)
    listener = make('listener', '/listeners', loadbalancer_id=lb, protocol='TCP', protocol_port=80)
    pool = make('pool', '/pools', listener_id=listener, protocol='TCP', lb_algorithm='ROUND_ROBIN')
    make('member', f'/pools/{pool}/members', address='10.9.0.9', protocol_port=80)
    got = octavia('GET', f'/pools/{pool}/members')['members']
    check(f'{name}: a load balancer has a member', [m['operating_status'] for m in got] == ['ONLINE'])
    octavia('DELETE', f'/loadbalancers/{lb}?cascade=true')
    wait_for('end of the load balancer', lambda: not octavia('GET', '/loadbalancers?name=' + MARK)['loadbalancers'])


def has(c, service):
    """Whether the cloud has it; where it has not, that is said."""
    try:
        return bool(c.endpoint(service))
    except StopIteration:
        print(f'WITHOUT {service} in {c.region}', flush=True)


start = time.monotonic()
try:
    admin, member = Client('admin', 'admin'), Client('member', 'member')
    check('both users log in', bool(admin.token and member.token))
    check('a wrong password is refused',
          status(Client, 'member', 'member', password='x') == 401)
    image = member.call('GET', 'image', '/images?name=cirros')['images'][0]['id']
    for r in REGIONS:
        region(r)
        quotas(r)
        if has(member.at(r), 'block-storage'):
            volume(r)
        if has(member.at(r), 'load-balancer'):
            balancer(r)
except (Error, OSError) as e:
    check(f'no more can be checked: {e}', False)
print(f'{failed} failed, {time.monotonic() - start:.0f} s')
sys.exit(bool(failed))
