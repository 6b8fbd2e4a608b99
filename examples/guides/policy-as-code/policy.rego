# Rules for plans that change a cluster. The input is what "terraform show -json" prints of
# a saved plan. A plan with a message in deny is refused; those in warn are only shown.
package main

# The most nodes that one apply may take out of service.
max_removed := 2

attachments contains r if {
	some r in input.resource_changes
	r.type == "stackpolicy_placement_attachment"
	r.change.after != null
}

# What an apply does to nodes: one change, or none.
changes[r.address] := change if {
	some r in attachments
	r.change.actions != ["no-op"]
	some change in r.change.after.change
}

deny contains msg if {
	some address, change in changes
	removed := count_of(change.deletion) + count_of(change.in_place)
	removed > max_removed
	msg := sprintf("%s takes %d nodes out of service; %d are allowed", [address, removed, max_removed])
}

deny contains msg if {
	some r in attachments
	some [place, nodes, min] in places(r.change.after)
	nodes < min
	msg := sprintf("%s leaves %s with %d nodes; its min is %d", [r.address, place, nodes, min])
}

# A server is drained by its deletion attachment, which the same plan destroys first.
deny contains msg if {
	some server in input.resource_changes
	server.type == "openstack_compute_instance_v2"
	"delete" in server.change.actions
	not drained[server.index]
	msg := sprintf("%s leaves undrained", [server.address])
}

warn contains msg if {
	some r in attachments
	some form in {"held", "reverted"}
	startswith(r.change.after.status, form)
	msg := sprintf("%s: %s", [r.address, r.change.after.status])
}

drained contains r.index if {
	some r in input.resource_changes
	r.type == "stackpolicy_deletion_attachment"
	"delete" in r.change.actions
}

count_of(part) := object.get(part, "count", 0) if is_object(part)

count_of(part) := 0 if not is_object(part)

# Each place that has a min, its nodes and the min. Zones are those of a region, or of the
# only one.
places(after) := regions(after) | zones(after)

regions(after) := {[r.name, nodes, r.min] |
	some r in object.get(after, "regions", null)
	is_number(r.min)
	nodes := sum([n | some n in after.distribution[r.name]])
}

zones(after) := {[sprintf("%s/%s", [region, z.name]), nodes, z.min] |
	some [region, list] in zone_lists(after)
	some z in list
	is_number(z.min)
	nodes := object.get(after.distribution[region], z.name, 0)
}

zone_lists(after) := {[r.name, r.zones] | some r in object.get(after, "regions", null); is_array(r.zones)} |
	{[after.region, after.zones] | is_array(after.zones)}
