"""The shape of the cloud: regions, zones, hosts, ports, users.

Run as a script it prints what the shell scripts need of it.
"""
import os

DIR = os.environ['CLOUD_DIR']
IP = '127.0.0.1'
PASSWORD = 'secret'     # of every user and database
PORT = dict(keystone=15000, glance=19292, mysql=13306)
KEYSTONE_URL = f'http://{IP}:{PORT["keystone"]}/v3'

REGIONS = {
    'RegionOne': dict(short='r1', nova=18774, placement=18778, neutron=19696, cinder=18776, octavia=19876,
                      zones={'az-1': ['r1-cmp-1', 'r1-cmp-2'],
                             'az-2': ['r1-cmp-3'],
                             'az-3': ['r1-cmp-4']}),
    'RegionTwo': dict(short='r2', nova=28774, placement=28778, neutron=29696, cinder=28776, octavia=29876,
                      zones={'az-1': ['r2-cmp-1', 'r2-cmp-2'],
                             'az-2': ['vsphere_drs_1']}),
}

# user: (project, roles). The services log in with the service user.
USERS = {'member': ('member', ['member', 'load-balancer_member']), 'service': ('service', ['admin', 'service'])}


def hosts(region):
    return [h for hs in REGIONS[region]['zones'].values() for h in hs]


def databases():
    return ['keystone', 'glance'] + [
        name + r['short'] for r in REGIONS.values() for name in
        ('placement_', 'nova_api_', 'nova_cell0_', 'nova_', 'neutron_', 'cinder_', 'octavia_')]


if __name__ == '__main__':
    print(f'IP={IP} PASSWORD={PASSWORD} DATABASES=({" ".join(databases())})')
    print('declare -A PORT SHORT HOSTS')
    for name, port in PORT.items():
        print(f'PORT[{name}]={port}')
    for name, r in REGIONS.items():
        s = r['short']
        print(f'SHORT[{name}]={s} HOSTS[{s}]={",".join(hosts(name))}')
        for service in 'nova', 'placement', 'neutron', 'cinder', 'octavia':
            print(f'PORT[{service}-{s}]={r[service]}')
