package fakecloud

import (
	"fmt"
	"slices"
	"strconv"
)

// ServerGroup is a server group as tests see it.
type ServerGroup struct {
	ID               string
	Name             string
	Policy           string
	MaxServerPerHost int // 0 means not set
	ProjectID        string
	Members          []string // ids of servers that are not deleted, newest first
}

// group is a server group as the region keeps it.
type group struct {
	ServerGroup // without its members
	user        string
	members     []*server // in the order in which they joined
}

// alive lists the members that are not deleted, newest first.
func (g *group) alive() []*server {
	g.members = slices.DeleteFunc(g.members, func(s *server) bool { return s.deleted })
	list := slices.Clone(g.members)
	slices.SortStableFunc(list, func(a, b *server) int { return older(b, a) })
	return list
}

// group finds a group that the user may see.
func (r *region) group(id string, t *token) *group {
	return first(r.groups, func(g *group) bool { return g.ID == id && (t.admin() || g.ProjectID == t.projectID()) })
}

func (r *region) mustGroup(id string) *group {
	if g := first(r.groups, func(g *group) bool { return g.ID == id }); g != nil {
		return g
	}
	panic(fmt.Sprintf("fakecloud: no server group %q in %s", id, r.name))
}

// groupDocument is a group in the form of the microversion. The members of a cell that is down cannot be looked up,
// which is an error.
func (k *call) groupDocument(g *group) object {
	doc := object{{"id", g.ID}, {"name", g.Name}}
	if k.minor >= 64 {
		rules := object{}
		if g.MaxServerPerHost > 0 {
			rules = object{{"max_server_per_host", g.MaxServerPerHost}}
		}
		doc = append(doc, field{"policy", g.Policy}, field{"rules", rules})
	} else {
		doc = append(doc, field{"policies", []string{g.Policy}}, field{"metadata", object{}})
	}
	members := []string{}
	for _, s := range g.alive() {
		if s.host.cellDown() {
			panic(unexpected("oslo_db.exception.DBConnectionError"))
		}
		members = append(members, s.ID)
	}
	doc = append(doc, field{"members", members})
	if k.minor >= 13 {
		doc = append(doc, field{"project_id", orNull(g.ProjectID)}, field{"user_id", g.user})
	}
	return doc
}

// listGroups returns no links: a client that wants more than a page counts the offset.
func (k *call) listGroups() reply {
	q := k.query(prop{name: "offset", schema: naturals})
	var groups []*group
	for _, g := range k.region.groups {
		if g.ProjectID == k.token.projectID() {
			groups = append(groups, g)
		}
	}
	offset, _ := strconv.Atoi(last(q, "offset"))
	groups = groups[min(offset, len(groups)):]
	list := documents(groups[:min(k.config.PageLimit, len(groups))], k.groupDocument)
	return jsonReply(200, object{{"server_groups", list}})
}

// findGroup finds the group of the request. A group of another project is not found.
func (k *call) findGroup() *group {
	if g := k.region.group(k.vars[0], k.token); g != nil {
		return g
	}
	panic(notFound("Instance group %s could not be found.", k.vars[0]))
}

// deleteGroup does not check whether the group has members.
func (k *call) deleteGroup(g *group) reply {
	k.region.dropGroup(g)
	return empty(204)
}

func (r *region) dropGroup(g *group) {
	for _, s := range g.members {
		s.group = nil
	}
	r.groups = slices.DeleteFunc(r.groups, func(o *group) bool { return o == g })
}

// policies is the older form of the policy: a list of one.
func policies(pattern string) *schema {
	return &schema{items: matching(pattern), is: func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) == 1
	}}
}

var groupSchema = wrapped("server_group", closed(
	prop{name: "name", schema: nameSchema, required: true},
	prop{name: "policies", schema: policies(`(?:anti-)?affinity`), required: true, until: 14},
	prop{name: "policies", schema: policies(`(?:soft-)?(?:anti-)?affinity`), required: true, since: 15, until: 63},
	prop{name: "policy", schema: matching(`(?:soft-)?(?:anti-)?affinity`), required: true, since: 64},
	prop{name: "rules", since: 64, schema: closed(prop{name: "max_server_per_host", schema: positive})},
))

func (k *call) createGroup(doc object) reply {
	project := k.token.projectID() // empty for an administrator of the system
	if limit := k.quota("server_groups", project); limit >= 0 && k.region.groupsOf(project) >= limit {
		panic(forbidden("Quota exceeded, too many server groups."))
	}
	given, _ := sub(doc, "server_group")
	g := &group{
		ServerGroup: ServerGroup{Name: text(given, "name"), Policy: text(given, "policy"), ProjectID: project},
		user:        k.token.user.id,
	}
	if list := stringList(given, "policies"); len(list) > 0 {
		g.Policy = list[0]
	}
	rules, _ := sub(given, "rules")
	if len(rules) > 0 && g.Policy != "anti-affinity" {
		panic(badRequest("Only anti-affinity policy supports rules."))
	}
	if n, ok := rules.get("max_server_per_host"); ok {
		g.MaxServerPerHost, _ = strconv.Atoi(bare(n))
	}
	g.ID = k.uuid("group/" + k.region.name)
	k.region.groups = append(k.region.groups, g)
	return jsonReply(200, object{{"server_group", k.groupDocument(g)}})
}

func (r *region) groupsOf(project string) int {
	n := 0
	for _, g := range r.groups {
		if g.ProjectID == project {
			n++
		}
	}
	return n
}

// AddServerGroup adds a group to a region and returns its id. The member owns it by default; servers join with
// [Cloud.AddServers].
func (c *Cloud) AddServerGroup(regionName string, given ServerGroup) string {
	g := &group{ServerGroup: given}
	c.change(regionName, func(r *region) {
		if g.ProjectID == "" {
			g.ProjectID, g.user = MemberProjectID, MemberUserID
		}
		if g.ID == "" {
			g.ID = c.uuid("group/" + r.name)
		}
		r.groups = append(r.groups, g)
	})
	return g.ID
}

// ServerGroups returns the groups of a region, of all projects, oldest first.
func (c *Cloud) ServerGroups(regionName string) []ServerGroup {
	var list []ServerGroup
	c.change(regionName, func(r *region) {
		r.settle(c)
		for _, g := range r.groups {
			v := g.ServerGroup
			v.Members = []string{}
			for _, s := range g.alive() {
				v.Members = append(v.Members, s.ID)
			}
			list = append(list, v)
		}
	})
	return list
}

// RemoveServerGroup removes a group behind Nova's back.
func (c *Cloud) RemoveServerGroup(regionName, id string) {
	c.change(regionName, func(r *region) { r.dropGroup(r.mustGroup(id)) })
}
