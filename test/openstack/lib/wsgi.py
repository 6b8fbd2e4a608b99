"""The WSGI application that uwsgi serves; SERVICE names it."""
import os

service = os.environ['SERVICE'].split('-')[0]
if service == 'keystone':
    from keystone.server.wsgi import initialize_public_application
    application = initialize_public_application()
elif service == 'glance':
    from glance.common import wsgi_app
    application = wsgi_app.init_app()
elif service == 'placement':
    from placement.wsgi import init_application
    application = init_application()
elif service == 'zaqar':    # its own application accepts no configuration file in some versions
    from oslo_config import cfg
    from oslo_log import log
    from zaqar.bootstrap import Bootstrap
    import zaqar_redis
    log.register_options(cfg.CONF)
    cfg.CONF(['--config-file', os.environ['CLOUD_DIR'] + '/etc/zaqar/zaqar.conf'], project='zaqar')
    log.setup(cfg.CONF, 'zaqar')
    boot = Bootstrap(cfg.CONF)
    application = boot.transport.app
    zaqar_redis.collect_garbage(boot.storage._storage)
elif service == 'octavia':
    from octavia.api import app
    import octavia_done
    application = app.setup_app(
        argv=['octavia', '--config-file', f"{os.environ['CLOUD_DIR']}/etc/{os.environ['SERVICE']}/octavia.conf"])
    octavia_done.report()
elif service == 'neutron':
    from neutron.cmd.server import main_api_uwsgi
    application = main_api_uwsgi()
