package hold

const IsFormer = "its server should have been made again, and is still the former one"
