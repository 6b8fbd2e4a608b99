package fakecloud

import (
	"fmt"
	"strconv"
	"strings"
)

// resource is something with a quota in Nova since 2.57, in the order in which Nova lists them.
type resource struct {
	name   string
	limit  int    // default limit
	limits string // name in /limits
}

var resources = []resource{
	{name: "cores", limit: -1, limits: "maxTotalCores"},
	{name: "instances", limit: -1, limits: "maxTotalInstances"},
	{name: "key_pairs", limit: 1000, limits: "maxTotalKeypairs"},
	{name: "metadata_items", limit: 128, limits: "maxServerMeta"},
	{name: "ram", limit: -1, limits: "maxTotalRAMSize"},
	{name: "server_group_members", limit: 1000, limits: "maxServerGroupMembers"},
	{name: "server_groups", limit: 1000, limits: "maxServerGroups"},
}

func mustResource(name string) resource {
	r := first(resources, func(r resource) bool { return r.name == name })
	if r.name == "" {
		panic(fmt.Sprintf("fakecloud: Nova has no quota for %q", name))
	}
	return r
}

// defaultQuota is the limit of a project without a quota of its own.
func (c *Cloud) defaultQuota(resource string) int {
	if limit, ok := c.config.Quotas[resource]; ok {
		return limit
	}
	return mustResource(resource).limit
}

// quota is the limit of a project; -1 is none.
func (k *call) quota(resource, project string) int {
	if limit, ok := k.region.quotas[[2]string{project, resource}]; ok {
		return limit
	}
	return k.defaultQuota(resource)
}

// SetQuota sets a quota of a project in a region; -1 is no limit.
func (c *Cloud) SetQuota(regionName, project, resource string, limit int) {
	mustResource(resource)
	c.change(regionName, func(r *region) { r.quotas[[2]string{project, resource}] = limit })
}

// inUse returns the number that counts against the quota for a resource.
func (k *call) inUse(resource, project string) int {
	u := k.region.used(project)
	switch resource {
	case "instances":
		return u.instances
	case "cores":
		return u.cores
	case "ram":
		return u.ram
	case "server_groups":
		return k.region.groupsOf(project)
	}
	return 0 // members are counted for each group, and other resources are not counted
}

// checkQuota refuses more instances, cores and RAM than the project may have.
func (k *call) checkQuota(project string, instances int, more *Flavor) {
	var overs, asked, used, allowed []string
	for _, r := range []struct {
		name string
		more int
	}{{"cores", more.VCPUs}, {"instances", instances}, {"ram", more.RAM}} {
		limit := k.quota(r.name, project)
		if limit < 0 || r.more == 0 || k.inUse(r.name, project)+r.more <= limit {
			continue
		}
		overs, asked = append(overs, r.name), append(asked, strconv.Itoa(r.more))
		used, allowed = append(used, strconv.Itoa(k.inUse(r.name, project))), append(allowed, strconv.Itoa(limit))
	}
	if overs == nil {
		return
	}
	list := func(s []string) string { return strings.Join(s, ", ") }
	panic(forbidden("Quota exceeded for %s: Requested %s, but already used %s of %s %s",
		list(overs), list(asked), list(used), list(allowed), list(overs)))
}

func (k *call) showLimits() reply {
	k.query()
	project := k.token.projectID()
	doc := object{}
	for _, r := range resources {
		doc = append(doc, field{r.limits, k.quota(r.name, project)})
	}
	for _, u := range [][2]string{
		{"totalRAMUsed", "ram"}, {"totalCoresUsed", "cores"}, {"totalInstancesUsed", "instances"},
		{"totalServerGroupsUsed", "server_groups"},
	} {
		doc = append(doc, field{u[0], k.inUse(u[1], project)})
	}
	return jsonReply(200, object{{"limits", object{{"rate", []object{}}, {"absolute", doc}}}})
}

// quotaSet lists the quotas of a project, with the values that the function returns.
func (k *call) quotaSet(id string, value func(resource string) any) reply {
	doc := object{}
	if id != "" {
		doc = append(doc, field{"id", id})
	}
	for _, r := range resources {
		doc = append(doc, field{r.name, value(r.name)})
	}
	return jsonReply(200, object{{"quota_set", doc}})
}

// quotaProject returns the project of the request. An ordinary user may only read the quotas of the own project.
func (k *call) quotaProject(action string, own bool) string {
	k.query()
	id := k.vars[0]
	if !k.token.admin() && (!own || id != k.token.projectID()) {
		panic(denied("os_compute_api:os-quota-sets:" + action))
	}
	if id != AdminProjectID && id != MemberProjectID {
		panic(badRequest("Project ID %s is not a valid project.", id))
	}
	return id
}

func (k *call) showQuotasDetail() reply {
	id := k.quotaProject("detail", true)
	return k.quotaSet(id, func(name string) any {
		return object{{"limit", k.quota(name, id)}, {"in_use", k.inUse(name, id)}, {"reserved", 0}}
	})
}

// quotaSchema is the body of an update.
func quotaSchema() *schema {
	props := []prop{{name: "force", schema: boolean}}
	for _, r := range resources {
		props = append(props, prop{name: r.name, schema: plain(`-1|[0-9]+`)})
	}
	return wrapped("quota_set", closed(props...))
}

func (k *call) updateQuotas(doc object) reply {
	project := k.quotaProject("update", false)
	given, _ := sub(doc, "quota_set")
	for _, f := range given {
		if limit, err := strconv.Atoi(bare(f.value)); err == nil { // otherwise it is force, which changes nothing here
			k.region.quotas[[2]string{project, f.key}] = limit
		}
	}
	return k.quotaSet("", func(name string) any { return k.quota(name, project) })
}
