"""Start what the packages have no script for, or none that fits here.

  nova --hosts a,b,c --config-file ...    a region's whole Nova in one process
  nova-init --cell0 URL --config-file ... a region's Nova databases
  neutron                                 Neutron's API in one process
"""
import sys


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
    hosts = option('--hosts').split(',')
    import nova.cmd.compute as c    # patches the standard library for eventlet
    c.config.parse_args(sys.argv)
    c.logging.setup(c.CONF, 'nova')
    # It warns of a deprecated call of Nova's twice a second.
    c.logging.getLogger('oslo_messaging.rpc.client').logger.setLevel('ERROR')
    c.priv_context.init(root_helper=c.shlex.split(c.utils.get_root_helper()))
    c.objects.register_all()
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
    create = c.service.Service.create
    c.service.serve(create(binary='nova-conductor', topic=conductor.RPC_TOPIC))
    launch = c.service._launcher.launch_service
    launch(create(binary='nova-scheduler', topic=scheduler.RPC_TOPIC))
    for host in hosts:
        launch(create(host=host, binary='nova-compute', topic=c.compute_rpcapi.RPC_TOPIC))
    launch(c.service.WSGIService('osapi_compute'))
    c.service.wait()


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


def neutron():
    """One eventlet process.

    uwsgi's threads end in "cannot switch to a different thread", because Neutron is
    patched for eventlet; neutron-server forks workers that nothing here needs.
    """
    from neutron.cmd.eventlet.server import main_api_eventlet   # patches too
    import logging
    import signal
    import eventlet.wsgi
    from oslo_config import cfg
    app = main_api_eventlet()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sock = eventlet.listen((cfg.CONF.bind_host, cfg.CONF.bind_port), backlog=1024)
    eventlet.wsgi.server(sock, app, log=logging.getLogger('neutron.wsgi'), max_size=100)


what = sys.argv.pop(1)
sys.argv[0] = what
sys.exit({'nova': nova, 'nova-init': nova_init, 'neutron': neutron}[what]())
