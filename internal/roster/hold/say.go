package hold

// NotRemade says that a server did not follow its node.
const NotRemade = "its server should have been made again, and is still the former one"
