package hold

// NotRemade says that the server of a node was not made again.
const NotRemade = "its server should have been made again, but is still the old one"
