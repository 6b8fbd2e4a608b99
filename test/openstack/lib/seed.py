"""seed.py identity | cloud [REGION...]: make what is missing, wait for the rest."""
import os
import sys

from client import Client, wait_for
from model import DIR, IP, KEYSTONE_URL, PASSWORD, PORT, REGIONS, USERS, hosts


def make(c, kind, one, match, **more):
    """The id of what is there, or was made of both."""
    for got in c.call('GET', 'identity', '/' + kind)[kind]:
        if match.items() <= got.items():
            return got['id']
    return c.call('POST', 'identity', '/' + kind, {one: {**match, **more}})[one]['id']


def endpoint(c, region, kind, name, url):
    service = make(c, 'services', 'service', dict(type=kind), name=name)
    for face in 'public', 'internal', 'admin':
        make(c, 'endpoints', 'endpoint', dict(service_id=service, interface=face, region_id=region), url=url)


def extras(c, without):
    """The endpoints of services that some releases lack: a client must not find one that is not there."""
    for region, r in REGIONS.items():
        for kind, name, url, daemon in (
                ('block-storage', 'cinder', f'http://{IP}:{r["cinder"]}/v3', 'cinder-' + r['short']),
                ('load-balancer', 'octavia', f'http://{IP}:{r["octavia"]}', 'octavia-' + r['short'])):
            if daemon not in without:
                endpoint(c, region, kind, name, url)
                continue
            for s in c.call('GET', 'identity', '/services?type=' + kind)['services']:
                for e in c.call('GET', 'identity', f'/endpoints?service_id={s["id"]}&region_id={region}')['endpoints']:
                    c.call('DELETE', 'identity', '/endpoints/' + e['id'])


def identity():
    c = Client('admin', 'admin')

    def ensure(*what, **more):
        return make(c, *what, **more)

    for user, (project, roles) in USERS.items():
        p = ensure('projects', 'project', dict(name=project, domain_id='default'))
        u = ensure('users', 'user', dict(name=user, domain_id='default'), password=PASSWORD)
        for name in roles:
            role = ensure('roles', 'role', dict(name=name))
            c.call('PUT', 'identity', f'/projects/{p}/users/{u}/roles/{role}')
    for region, r in REGIONS.items():
        ensure('regions', 'region', dict(id=region))
        for kind, name, url in (
                ('identity', 'keystone', KEYSTONE_URL),
                ('compute', 'nova', f'http://{IP}:{r["nova"]}/v2.1'),
                ('placement', 'placement', f'http://{IP}:{r["placement"]}'),
                ('network', 'neutron', f'http://{IP}:{r["neutron"]}'),
                ('image', 'glance', f'http://{IP}:{PORT["glance"]}')):
            endpoint(c, region, kind, name, url)


def images(c):
    for name in 'cirros', 'debian-12', 'debian-13':  # the examples use the latter
        got = c.call('GET', 'image', '/images?name=' + name)['images']
        got = got[0] if got else c.call('POST', 'image', '/images', dict(
            name=name, disk_format='raw', container_format='bare', visibility='public'))
        if got['status'] == 'queued':
            c.call('PUT', 'image', f'/images/{got["id"]}/file', b'\0' * 512)


def networks(c):
    """A network for all, one of floating addresses, and one that only the admin sees. The latter two are in no project of
    a user: Nova must not choose between networks. A router joins them; no agent serves it."""
    def one(kind, name, **more):
        got = c.call('GET', 'network', f'/{kind}s?name={name}')[kind + 's']
        return got[0] if got else c.call('POST', 'network', f'/{kind}s', {kind: dict(name=name, **more)})[kind]

    other = c.call('GET', 'identity', '/projects?name=service')['projects'][0]['id']
    inside = []
    for name, cidr, more in (('public', '172.24.0.0/16', {'router:external': True, 'project_id': other}),
                             ('shared', '10.9.0.0/16', dict(shared=True)),
                             ('storage', '10.10.0.0/16', dict(project_id=other))):
        n = one('network', name, **more)
        s = one('subnet', name, network_id=n['id'], ip_version=4, cidr=cidr, enable_dhcp=False, gateway_ip=None)
        if name == 'public':
            router = one('router', 'router', external_gateway_info=dict(network_id=n['id']))
        else:
            inside.append(one('port', 'router-' + name, network_id=n['id'], fixed_ips=[dict(subnet_id=s['id'])]))
    for port in inside:
        if not port['device_id']:
            c.call('PUT', 'network', f'/routers/{router["id"]}/add_router_interface', dict(port_id=port['id']))


def nova(c):
    want, have = set(hosts(c.region)), {f['name'] for f in c.nova('GET', '/flavors')['flavors']}
    for name, ram, vcpus in (('m1.tiny', 64, 1), ('m1.small', 128, 2)):
        if name not in have:
            c.nova('POST', '/flavors', {'flavor': dict(
                id=name, name=name, ram=ram, vcpus=vcpus, disk=1)})
    wait_for(f'hypervisors of {c.region}', lambda: want <= {
        h['hypervisor_hostname'] for h in c.nova('GET', '/os-hypervisors')['hypervisors']
        if h['state'] == 'up'}, 120)
    wait_for(f'Placement of {c.region}', lambda: want <= {
        p['name'] for p in c.call('GET', 'placement', '/resource_providers')['resource_providers']})
    zones = {a['name']: a for a in c.nova('GET', '/os-aggregates')['aggregates']}
    for zone, members in REGIONS[c.region]['zones'].items():
        a = zones.get(zone) or c.nova('POST', '/os-aggregates', {
            'aggregate': dict(name=zone, availability_zone=zone)})['aggregate']
        for host in set(members) - set(a.get('hosts') or ()):
            c.nova('POST', f'/os-aggregates/{a["id"]}/action', {'add_host': {'host': host}})


def cloud(*regions):
    c = Client('admin', 'admin')
    if not regions:     # otherwise one region is repaired
        extras(c, os.environ.get('CLOUD_WITHOUT', '').split())
    images(c)
    for region in regions or REGIONS:
        networks(c.at(region))
        nova(c.at(region))


{'identity': identity, 'cloud': cloud}[sys.argv[1]](*sys.argv[2:])
