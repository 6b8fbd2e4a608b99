"""Octavia's no-op driver does nothing, not even report that it is done: this does."""
import threading
import time

from octavia.api.drivers.driver_agent import driver_updater
from octavia.db import api
from sqlalchemy import text

TABLES = dict(loadbalancers='load_balancer', listeners='listener', pools='pool', members='member',
              healthmonitors='health_monitor', l7policies='l7policy', l7rules='l7rule')


def pending():
    """What waits for its driver, as the driver's report."""
    status = {}
    with api.get_engine().connect() as c:
        for kind, table in TABLES.items():
            for id, was in c.execute(text(
                    f"SELECT id, provisioning_status FROM {table} WHERE provisioning_status LIKE 'PENDING_%'")):
                status.setdefault(kind, []).append(
                    dict(id=id, provisioning_status='DELETED', operating_status='OFFLINE') if was == 'PENDING_DELETE'
                    else dict(id=id, provisioning_status='ACTIVE', operating_status='ONLINE'))
    return status


def report():
    def loop():
        updater = driver_updater.DriverUpdater()
        while True:
            time.sleep(0.2)
            try:
                status = pending()
                if status:
                    updater.update_loadbalancer_status(status)
            except Exception as e:  # an object was deleted meanwhile; the next look has the rest
                print('octavia:', e, flush=True)
    threading.Thread(target=loop, daemon=True).start()
