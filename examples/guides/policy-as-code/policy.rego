# Rules for plans that change a cluster. The input is what "terraform show -json" prints of
# a saved plan. A plan with a message in deny is refused; those in warn are only shown.
package main

# The most servers that one apply may take out of service.
max_taken := 2

# Volumes that may be destroyed, by address: {"openstack_blockstorage_volume_v3.web[\"web-3\"]"}.
may_destroy := set()

attachments contains r if {
	some r in input.resource_changes
	r.type == "stackpolicy_placement_attachment"
	r.change.after != null
}

# Whatever the reason is: a batch, a shrink, another user_data, -replace or -destroy.
deny contains msg if {
	n := count(taken)
	n > max_taken
	msg := sprintf("the plan takes %d servers out of service; %d are allowed", [n, max_taken])
}

taken contains server.address if {
	some server in servers
	"delete" in server.change.actions
}

# A server is rebuilt or resized in place, or stopped.
taken contains server.address if {
	some server in servers
	server.change.actions == ["update"]
	some name in ["image_id", "image_name", "flavor_id", "flavor_name", "power_state"]
	object.get(server.change.before, name, null) != object.get(server.change.after, name, null)
}

servers contains r if {
	some r in input.resource_changes
	r.type == "openstack_compute_instance_v2"
}

# Data comes back from nowhere.
deny contains msg if {
	some r in input.resource_changes
	r.type == "openstack_blockstorage_volume_v3"
	"delete" in r.change.actions
	not r.address in may_destroy
	msg := sprintf("%s is destroyed, and may_destroy does not name it", [r.address])
}

deny contains msg if {
	some r in input.resource_changes
	r.type == "stackpolicy_placement_attachment"
	"delete" in r.change.actions
	msg := sprintf("%s forgets its nodes", [r.address])
}

deny contains msg if {
	some r in attachments
	some [place, nodes, min] in places(r.change.after)
	nodes < min
	msg := sprintf("%s leaves %s with %d nodes; its min is %d", [r.address, place, nodes, min])
}

# A server is drained by its deletion attachment, which the same plan destroys first.
deny contains msg if {
	some server in servers
	"delete" in server.change.actions
	not drained[server.index]
	msg := sprintf("%s leaves undrained", [server.address])
}

warn contains msg if {
	some r in attachments
	r.change.after.phase == "held"
	msg := sprintf("%s: %s", [r.address, r.change.after.status])
}

drained contains r.index if {
	some r in input.resource_changes
	r.type == "stackpolicy_deletion_attachment"
	"delete" in r.change.actions
}

# Each place that has a min, its nodes and the min.
places(after) := regions(after) | zones(after)

regions(after) := {[region, nodes, r.min] |
	some r in object.get(after, "regions", null)
	is_number(r.min)
	some region in names(after, r)
	nodes := sum([n | some n in after.distribution[region]])
}

zones(after) := {[sprintf("%s/%s", [region, z.name]), nodes, z.min] |
	some r in object.get(after, "regions", null)
	some z in object.get(r, "zones", null)
	is_number(z.min)
	some region in names(after, r)
	nodes := object.get(after.distribution[region], z.name, 0)
}

# A region without a name is the provider's: one that no other region names.
names(_, r) := {r.name} if is_string(object.get(r, "name", null))

names(after, r) := {region | some region, _ in after.distribution} - {other.name | some other in after.regions; is_string(object.get(other, "name", null))} if {
	object.get(r, "name", null) == null
}
