

# The module that trixie's Glance imports, and forky's oslo.db no longer has.
class EngineFacade:
    def __init__(self, connection):
        self.engine = create_engine(connection)
        self.maker = get_maker(self.engine)

    @classmethod
    def from_config(cls, conf, sqlite_fk=False):
        from oslo_db import options
        conf.register_opts(options.database_opts, 'database')
        return cls(conf.database.connection)

    def get_engine(self):
        return self.engine

    def get_session(self, autocommit=False, expire_on_commit=False):
        return self.maker(expire_on_commit=expire_on_commit)
