"""Start what the packages have no script for, or none that fits here.

  nova --hosts a,b,c --port N --config-file ...
                                          a region's whole Nova in one process
  nova-init --cell0 URL --config-file ... a region's Nova databases
  neutron                                 Neutron's API in one process
  cinder --config-file ...                a region's whole Cinder in one process
"""
import sys
import threading
import uuid

from model import IP


def option(name):
    i = sys.argv.index(name)
    value = sys.argv[i + 1]
    del sys.argv[i:i + 2]
    return value


def nova():
    """API, conductor, scheduler and one nova-compute for each host.

    RPC stays between them, over the transport fake://, so no message broker is
    needed and a region's Nova is hung or killed as one. The computes reach the
    database themselves, as in Nova's own functional tests.
    """
    hosts, port = option('--hosts').split(','), int(option('--port'))
    import nova.cmd.compute as c    # patches the standard library for eventlet
    c.config.parse_args(sys.argv)
    c.logging.setup(c.CONF, 'nova')
    # It warns about a deprecated call of Nova twice a second.
    c.logging.getLogger('oslo_messaging.rpc.client').logger.setLevel('ERROR')
    c.priv_context.init(root_helper=c.shlex.split(c.utils.get_root_helper()))
    c.objects.register_all()
    if hasattr(c, 'os_brick'):
        c.os_brick.setup(c.CONF)
    c.os_vif.initialize()
    c.objects.Service.enable_min_version_cache()
    from nova.conductor import rpcapi as conductor
    from nova.scheduler import rpcapi as scheduler
    from nova.scheduler.client import report
    # At every claim nova-compute asks Placement for the allocations of each
    # server on the host, one request apiece, for a reshape or for PCI devices.
    # The fake driver has neither; without this 200 servers cost 21,000 requests.
    report.SchedulerReportClient.get_allocations_for_provider_tree = \
        lambda self, context, nodename: {}
    keep_identities(hosts)
    create = c.service.Service.create
    c.service.serve(create(binary='nova-conductor', topic=conductor.RPC_TOPIC))
    launch = c.service._launcher.launch_service
    launch(create(binary='nova-scheduler', topic=scheduler.RPC_TOPIC))
    topics = dict(topic=c.compute_rpcapi.RPC_TOPIC)
    if hasattr(c.compute_rpcapi, 'RPC_TOPIC_ALT'):
        topics['topic_alt'] = c.compute_rpcapi.RPC_TOPIC_ALT
    for host in hosts:
        launch(create(host=host, binary='nova-compute', **topics))
    if hasattr(c.service, 'WSGIService'):
        launch(c.service.WSGIService('osapi_compute'))
    else:                   # since 2026.1
        from nova.api import wsgi
        eventlet_serve('nova', IP, port, wsgi.Loader().load_app('osapi_compute'))
    c.service.wait()


def keep_identities(hosts):
    """Let a nova-compute that starts again be the one it was.

    Since 2023.1 it compares the identity of its node with the one in the data
    base, and the fake driver makes a new one at each start.
    """
    try:
        from nova.virt import node
        from oslo_utils.fixture import uuidsentinel
    except ImportError:     # before
        return
    node.read_local_node_uuid = lambda: 'of no single host'
    for host in hosts:
        uuidsentinel._sentinels['node_' + host] = str(uuid.uuid5(uuid.NAMESPACE_DNS, host))


def nova_init():
    """What four calls of nova-manage would do, for the start-up time of one."""
    cell0 = option('--cell0')
    import nova.cmd.manage as m
    m.config.parse_args(sys.argv)
    m.logging.setup(m.CONF, 'nova')
    m.objects.register_all()
    cells = m.CellV2Commands()
    assert not m.ApiDbCommands().sync()
    assert not cells.map_cell0(database_connection=cell0)
    assert not m.DbCommands().sync()
    assert not cells.create_cell(name='cell1')


def eventlet_serve(name, address, port, app):
    import logging
    import eventlet.wsgi
    # As many connections as Nova's own wsgi_default_pool_size. A connection that a client keeps for later counts,
    # and with 100 of them no other client got an answer until they ended, after 90 seconds.
    return eventlet.spawn(eventlet.wsgi.server, eventlet.listen((address, port), backlog=1024), app,
                          log=logging.getLogger(name + '.wsgi'), max_size=1000)


def neutron():
    """One eventlet process, until 2025.2; later ones are served by uwsgi.

    uwsgi's threads end in "cannot switch to a different thread" where Neutron is
    patched for eventlet; neutron-server forks workers that nothing here needs.
    """
    import neutron.cmd.eventlet     # patches the standard library
    try:
        from neutron.cmd.eventlet.server import main_api_eventlet as load
    except ImportError:             # since 2024.2
        from neutron.cmd.server import main_api_uwsgi as load
    import signal
    from oslo_config import cfg
    app = load()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    eventlet_serve('neutron', cfg.CONF.bind_host, cfg.CONF.bind_port, app).wait()


def cinder():
    """API, scheduler and a cinder-volume for each zone, over the transport fake:// like Nova."""
    import cinder.cmd.volume as c   # patches the standard library for eventlet
    from cinder import coordination, rpc
    from cinder.common import config
    from oslo_service.service import launch
    c.objects.register_all()
    c.CONF(sys.argv[1:], project='cinder', version=c.version.version_string())
    config.set_middleware_defaults()
    c.logging.setup(c.CONF, 'cinder')
    c.priv_context.init(root_helper=c.shlex.split(c.utils.get_root_helper()))
    coordination.COORDINATOR.start()
    rpc.init(c.CONF)
    # Since 2026.1 a heartbeat is a call without a serializer. The transport fake://
    # passes its context on unchanged, and others send its fields.
    deserialize = rpc.RequestContextSerializer.deserialize_context
    rpc.RequestContextSerializer.deserialize_context = \
        lambda self, context: deserialize(self, context if isinstance(context, dict) else context.to_dict())
    one = c.service.Service
    report = one.report_state

    turn = threading.Lock()         # since 2026.1 a report first calls its own service

    def report_state(service):
        with turn:
            one.service_id = service.origin_service_id  # of the class: Cinder has one service in a process
            report(service)
    one.report_state = report_state
    create = one.create
    launcher = launch(c.CONF, create(binary='cinder-scheduler'))
    for backend in c.CONF.enabled_backends:
        c.CONF.register_opt(c.host_opt, group=backend)
        launcher.launch_service(create(host=f'{c.CONF.host}@{backend}', service_name=backend, binary='cinder-volume'))
    launcher.launch_service(c.service.WSGIService('osapi_volume'))
    launcher.wait()


what = sys.argv.pop(1)
sys.argv[0] = what
sys.exit({'nova': nova, 'nova-init': nova_init, 'neutron': neutron, 'cinder': cinder}[what]())
