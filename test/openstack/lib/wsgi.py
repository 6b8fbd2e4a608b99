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
elif service == 'octavia':
    from octavia.api import app
    import octavia_done
    application = app.setup_app(
        argv=['octavia', '--config-file', f"{os.environ['CLOUD_DIR']}/etc/{os.environ['SERVICE']}/octavia.conf"])
    octavia_done.report()
elif service == 'neutron':
    from neutron.cmd.server import main_api_uwsgi
    application = main_api_uwsgi()
