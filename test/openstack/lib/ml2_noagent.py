"""ML2 mechanism driver that binds every port at once: there are no agents here."""
from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class Driver(api.MechanismDriver):
    connectivity = portbindings.CONNECTIVITY_L2

    def initialize(self):
        pass

    def bind_port(self, context):
        context.set_binding(context.segments_to_bind[0][api.ID], portbindings.VIF_TYPE_OVS,
                            {portbindings.CAP_PORT_FILTER: True},
                            status=constants.PORT_STATUS_ACTIVE)
