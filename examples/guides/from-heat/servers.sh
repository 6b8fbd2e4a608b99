#!/bin/sh
# Writes the ids of the servers.
openstack server list --name '^(web|workers)-[0-9]+$' -f json |
	jq '{ servers: map({ (.Name): .ID }) | add }' >servers.auto.tfvars.json
