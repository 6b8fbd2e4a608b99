openstack server list --name '^web-[0-9]+$' -f json |
  jq '{ servers: map({ (.Name): .ID }) | add }' >servers.auto.tfvars.json
