"""Cinder driver whose volumes are records and nothing else."""
from cinder.volume import driver


class Driver(driver.VolumeDriver):
    VERSION = '1'

    def check_for_setup_error(self):
        pass

    def _update_volume_stats(self):
        self._stats = dict(volume_backend_name=self.configuration.safe_get('volume_backend_name'),
                           vendor_name='none', driver_version=self.VERSION, storage_protocol='fake',
                           total_capacity_gb='infinite', free_capacity_gb='infinite', multiattach=True)

    def initialize_connection(self, volume, connector, **kwargs):
        return {'driver_volume_type': 'fake', 'data': {}}

    def clone_image(self, *args, **kwargs):
        return {}, True

    def nothing(self, *args, **kwargs):
        pass

    create_volume = delete_volume = extend_volume = copy_image_to_volume = nothing
    create_snapshot = delete_snapshot = create_volume_from_snapshot = create_cloned_volume = nothing
    ensure_export = create_export = remove_export = terminate_connection = nothing
