package hold

// IsFormer says that a server did not follow its node.
const IsFormer = "its server should have been made again, and is still the former one"
