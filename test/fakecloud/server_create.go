package fakecloud

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NetworkID is the network for servers that all projects share.
const NetworkID = "b5a1c2d3-4e5f-4607-9182-a3b4c5d6e7f8"

// order is a parsed request for new servers.
type order struct {
	server Server // without id and name
	name   string
	zone   string // requested zone; "" means any
	host   string // forced host; "" means none
	forced bool
	group  *group
	flavor *Flavor
	moved  *server // existing server that moves
	avoid  *host   // host that it must leave
	ports  []*port // ports for the server; none means one of Nova's, if it has a network
	boots  []device

	keyName string
}

// device is a volume that Nova makes together with a server.
type device struct {
	image, kind string
	size        int
	root, ends  bool // reports whether the server boots from it, and whether it ends with the server
}

func (k *call) createServers(doc object) reply {
	body, _ := sub(doc, "server")
	o := k.readOrder(doc, body)
	k.checkOrder(o, body)
	made := k.build(o)
	groups := any([]object{{{"name", "default"}}})
	if given, ok := body.get("security_groups"); ok {
		if groups = given; made.Network && made.ports == nil { // Nova ignores them for other ports
			made.rules = []string{}
			for _, group := range given.([]any) {
				made.rules = append(made.rules, text(group.(object), "name"))
			}
		}
	}
	links := k.links("servers/" + made.ID)
	return jsonReply(202, object{{"server", object{
		{"id", made.ID}, {"links", links}, {"OS-DCF:diskConfig", "MANUAL"}, {"security_groups", groups},
		{"adminPass", cmp.Or(text(body, "adminPass"), k.hexID("password")[:12])},
	}}}).set("Location", links[0][1].value.(string))
}

// readOrder reads the body in the same order as Nova.
func (k *call) readOrder(doc, body object) *order {
	o := &order{name: strings.TrimSpace(text(body, "name"))}
	k.readZone(o, body)
	o.server = Server{
		ProjectID:   k.token.projectID(),
		UserID:      k.token.user.id,
		ImageID:     text(body, "imageRef"),
		Description: text(body, "description"),
		Metadata:    stringMap(body, "metadata"),
		Tags:        stringList(body, "tags"),
	}
	if k.minor < 19 {
		o.server.Description = o.name
	}
	slices.Sort(o.server.Tags)
	o.server.Tags = slices.Compact(o.server.Tags)
	k.readDevices(o, body)
	o.keyName = text(body, "key_name")
	hints, _ := sub(doc, "os:scheduler_hints")
	if id := text(hints, "group"); id != "" {
		o.group = k.region.group(id, k.token)
		if o.group == nil {
			o.group = &group{ServerGroup: ServerGroup{ID: id}} // refused later, when Nova checks it
		}
	}
	k.readNetworks(o, body)
	return o
}

// readZone reads availability_zone, which may force a host.
func (k *call) readZone(o *order, body object) {
	parts := strings.Split(text(body, "availability_zone"), ":")
	o.zone = parts[0]
	if o.forced = len(parts) == 2; o.forced {
		o.host = parts[1]
		k.adminOnly("os_compute_api:servers:create:forced_host")
		if h := k.region.host(o.host); h == nil || h.zone.name != o.zone {
			o.zone = "" // the host decides
		}
	}
}

// readNetworks decides whether the server gets an address.
func (k *call) readNetworks(o *order, body object) {
	networks, ok := body.get("networks")
	if !ok || networks == "auto" {
		o.server.Network = true
		return
	}
	list, _ := networks.([]any)
	for _, n := range list {
		entry := n.(object)
		if id := text(entry, "port"); id != "" {
			o.ports = append(o.ports, k.takePort(id))
			continue
		}
		id := text(entry, "uuid")
		of, found := networkOf(id)
		switch {
		case id == "":
			panic(badRequest("Bad network format: missing 'uuid'"))
		case !found:
			panic(badRequest("Network %s could not be found.", id))
		case len(list) > 1 || id != NetworkID:
			p := k.newPort(of, "", text(entry, "fixed_ip"))
			p.nova = true
			o.ports = append(o.ports, p)
		}
		o.server.Network = true
	}
	if len(o.ports) > 0 {
		o.server.Network, o.server.Address = true, o.ports[0].address
	}
}

// readDevices reads the block devices: an image on the disk of the host or on a volume, and empty volumes.
func (k *call) readDevices(o *order, body object) {
	given, there := body.get("block_device_mapping_v2")
	if o.server.ImageID == "" && !there {
		panic(badRequest("Missing imageRef attribute"))
	}
	list, _ := given.([]any)
	for _, e := range list {
		entry := e.(object)
		size, _ := entry.get("volume_size")
		index, _ := entry.get("boot_index")
		ends, _ := entry.get("delete_on_termination")
		d := device{image: text(entry, "uuid"), kind: text(entry, "volume_type")}
		d.root, d.ends = bare(index) == "0", ends == true
		d.size, _ = strconv.Atoi(bare(size))
		switch source, to := text(entry, "source_type"), text(entry, "destination_type"); {
		case source == "image" && to == "local":
			continue
		case to != "volume" || source != "image" && source != "blank":
			panic(refuse(501, "fakecloud has no block device from %s to %s", source, to))
		case source == "image" && k.image(d.image) == nil:
			panic(badRequest("Block Device Mapping is Invalid: failed to get image %s.", d.image))
		case d.size < 1:
			panic(badRequest("Block Device Mapping is Invalid: Boot volume size must be greater than zero."))
		case d.kind != "" && d.kind != defaultType:
			panic(badRequest("Volume type %s could not be found.", d.kind))
		}
		o.boots = append(o.boots, d)
	}
}

// checkOrder refuses an order that cannot be built.
func (k *call) checkOrder(o *order, body object) {
	ref, _ := body.get("flavorRef")
	id := bare(ref)
	id = id[strings.LastIndex(id, "/")+1:]
	if o.flavor = k.findFlavor(id); o.flavor == nil {
		panic(badRequest("Flavor %s could not be found.", id))
	}
	zones := k.region.available()
	if o.zone != "" && !o.forced && !zones[o.zone] && o.zone != internalZone {
		panic(badRequest("The requested availability zone is not available"))
	}
	if o.server.ImageID != "" && !k.image(o.server.ImageID).active() {
		panic(badRequest("Can not find requested image"))
	}
	if o.keyName != "" && k.keyPair(o.keyName) == nil {
		panic(badRequest("Invalid key_name provided."))
	}
	onVolume := slices.ContainsFunc(o.boots, func(d device) bool { return d.root })
	if o.flavor.Disk == 0 && !onVolume && !k.token.admin() {
		panic(forbidden("Only volume-backed servers are allowed for flavors with zero disk."))
	}
	if o.group != nil && o.group.Policy == "" {
		panic(badRequest("Instance group %s could not be found.", o.group.ID))
	}
	k.checkQuota(o.server.ProjectID, 1, o.flavor)
	if o.group != nil {
		limit := k.quota("server_group_members", o.group.ProjectID)
		if limit >= 0 && len(o.group.alive())+1 > limit {
			panic(forbidden("Quota exceeded, too many servers in group"))
		}
	}
}

// build makes the server. It is scheduled at once, but nobody sees that before it is built.
func (k *call) build(o *order) *server {
	s := &server{
		Server:  o.server,
		vmState: "building",
		flavor:  o.flavor,
		group:   o.group,
		ports:   o.ports,
		keyName: o.keyName,
		asked:   o.zone,
	}
	for _, p := range o.ports {
		if p.server = s; p.nova {
			k.region.ports = append(k.region.ports, p)
		}
	}
	s.ID, s.Name, s.Flavor = k.uuid("server/"+k.region.name), o.name, o.flavor.ID
	for _, d := range o.boots {
		k.bootVolume(s, d)
	}
	s.Created = k.tick().Truncate(time.Second) // the database keeps no fractions
	s.TaskState, s.updated = "scheduling", s.Created
	k.region.count(s, +1)
	k.region.servers.add(s)
	if o.group != nil {
		o.group.members = append(o.group.members, s)
	}
	h, problem := k.region.choose(o)
	if h != nil {
		k.region.place(s, h)
		if k.region.failing > 0 {
			k.region.failing--
			problem = "Build of instance " + s.ID + " aborted: Failed to allocate the network(s), not rescheduling."
		}
	}
	k.region.later(k.Cloud, s, k.config.BuildTime, func(r *region, s *server) {
		s.TaskState, s.updated = "", k.time()
		if problem != "" {
			s.vmState, s.Fault = "error", problem
			r.abandon(k.Cloud, s)
			return
		}
		s.vmState, s.launched = "active", k.time()
	})
	return s
}

// stringMap returns an object of strings as a map.
func stringMap(o object, key string) map[string]string {
	given, _ := sub(o, key)
	m := make(map[string]string, len(given))
	for _, f := range given {
		m[f.key] = f.value.(string)
	}
	return m
}

func stringList(o object, key string) []string {
	v, _ := o.get(key)
	list, _ := v.([]any)
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.(string)
	}
	return texts
}
