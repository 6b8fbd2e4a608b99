"""A small OpenStack client of the standard library: token, catalogue, JSON."""
import json
import time
import urllib.error
import urllib.request

from model import KEYSTONE_URL, PASSWORD

PATH = {'image': '/v2', 'network': '/v2.0'}
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Error(Exception):
    def __init__(self, status, text, what):
        super().__init__(f'{what} -> {status} {text[:300]}')
        self.status = status


def request(method, url, body=None, headers=(), timeout=60):
    """-> (headers, decoded JSON); Error for a status of 300 and more."""
    h = {'Content-Type': 'application/json', 'Accept': 'application/json', **dict(headers)}
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    try:
        with OPENER.open(urllib.request.Request(url, data, h, method=method), timeout=timeout) as r:
            text = r.read()
            return r.headers, json.loads(text) if text else None
    except urllib.error.HTTPError as e:
        raise Error(e.code, e.read().decode(errors='replace'), f'{method} {url}') from None


class Client:
    def __init__(self, user, project, region='RegionOne', password=PASSWORD):
        domain = {'name': 'Default'}
        headers, body = request('POST', KEYSTONE_URL + '/auth/tokens', {'auth': {
            'identity': {'methods': ['password'], 'password': {
                'user': {'name': user, 'domain': domain, 'password': password}}},
            'scope': {'project': {'name': project, 'domain': domain}}}})
        self.token, self.info, self.region = headers['X-Subject-Token'], body['token'], region
        self.project_id = self.info['project']['id']

    def at(self, region):
        c = object.__new__(Client)
        c.__dict__.update(self.__dict__, region=region)
        return c

    def endpoint(self, service):
        return next(e['url'] for s in self.info['catalog'] if s['type'] == service
                    for e in s['endpoints']
                    if e['interface'] == 'public' and e['region'] == self.region)

    def call(self, method, service, path, body=None, version=None):
        base = KEYSTONE_URL if service == 'identity' else self.endpoint(service)
        headers = {'X-Auth-Token': self.token}
        if version:
            headers['OpenStack-API-Version'] = f'{service} {version}'
        if isinstance(body, bytes):
            headers['Content-Type'] = 'application/octet-stream'
        return request(method, base + PATH.get(service, '') + path, body, headers)[1]

    def nova(self, method, path, body=None, version='2.79'):
        return self.call(method, 'compute', path, body, version)


def wait_for(what, try_it, seconds=60):
    """Until try_it() is true; not before that is an error of any kind."""
    end = time.monotonic() + seconds
    while True:
        try:
            got = try_it()
            if got:
                return got
            why = 'not yet'
        except (Error, OSError, StopIteration) as e:
            why = e
        if time.monotonic() > end:
            raise SystemExit(f'no {what} after {seconds} s: {why}')
        time.sleep(0.1)
