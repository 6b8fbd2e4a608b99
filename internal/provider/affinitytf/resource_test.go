package affinitytf_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest/protocol"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

type attributes = protocol.Attributes

// held is an affinity attachment, with helpers for its server groups.
type held struct{ *protocol.Attachment }

func hold(t *testing.T, user string) held {
	t.Helper()
	h := held{protocol.Attach(t, "stackpolicy_affinity_attachment")}
	h.User = user
	h.Later(t)
	return h
}

// groups returns the names of the server groups in a region, sorted.
func (h held) groups(region string) string {
	var names []string
	for _, g := range h.Fake.ServerGroups(region) {
		names = append(names, g.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// group makes a server group that the attachment does not own, with members.
func (h held) group(region string, g fakecloud.ServerGroup, members ...string) (id string) {
	id = h.Fake.AddServerGroup(region, g)
	for _, name := range members {
		h.Fake.AddServers(region, fakecloud.Server{Name: name, Group: id, ProjectID: g.ProjectID})
	}
	return id
}

// has compares attributes of the state with texts; "" means null.
func (h held) has(t *testing.T, step string, want map[string]string) {
	t.Helper()
	state := protocol.Object(h.I.State)
	for name, text := range want {
		assert.Equal(t, text, protocol.Shown(state[name]), "%s: %s", step, name)
	}
}

// settled fails unless the plan of a configuration is empty.
func (h held) settled(t *testing.T, step string, config attributes) {
	t.Helper()
	assert.True(t, h.MustPlan(t, config).Equal(h.I.State), "%s: the plan is not empty", step)
	assert.Empty(t, h.Said(), step)
}

// identified returns the parts of the identity.
func (h held) identified(t *testing.T) string {
	t.Helper()
	parts := h.Identity(t, h.I)
	return protocol.Shown(parts["region"]) + "/" + protocol.Shown(parts["servergroup_id"]) + " created " + protocol.Shown(parts["created"])
}

func asking(name string) attributes { return attributes{"servergroup": attributes{"name": name}} }

// TestHeld: the state of a group that was made or inherited, which the refresh finds
// again, and the groups left after the attachment is destroyed. The plan before that names
// the members of a group that is deleted, and not of a group that stays.
func TestHeld(t *testing.T) {
	t.Parallel()
	zone := func(name string) attributes { return attributes{"availability_zone": name} }
	for name, c := range map[string]struct {
		config attributes
		want   map[string]string
		left   string
		joins  int    // number of servers that join before the attachment is destroyed
		says   string // warning of the apply that destroys the attachment
	}{
		"made": {asking("web"), map[string]string{"servergroup_name": "web", "policy": "anti-affinity", "inherited_group": "false", "members": "", "zone": "",
			"region": "RegionOne"}, "shared",
			1, "run on without a group: "},
		"made, with a policy": {attributes{"servergroup": attributes{"name": "web", "policies": "affinity"}},
			map[string]string{"servergroup_name": "web", "policy": "affinity"}, "shared", 3, "run on without a group: "},
		"made in another region": {attributes{"region": "RegionTwo", "servergroup": attributes{"name": "web"}},
			map[string]string{"region": "RegionTwo", "inherited_group": "false"}, "shared", 0, ""},
		"made, with a zone": {zone("az-2"), map[string]string{"zone": "az-2", "inherited_group": "false"}, "shared", 0, ""},
		"inherited":         {asking("shared"), map[string]string{"servergroup_name": "shared", "inherited_group": "true"}, "shared", 0, ""},
		"inherited, by a hint": {attributes{"scheduler_hints": attributes{"group": "shared"}},
			map[string]string{"servergroup_name": "shared", "inherited_group": "true", "policy": "anti-affinity"}, "shared", 0, ""},
		"inherited, by a hint, of another policy": {attributes{"scheduler_hints": attributes{"group": "together"}},
			map[string]string{"servergroup_name": "together", "inherited_group": "true", "policy": "affinity"}, "shared together", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hold(t, fakecloud.MemberUser)
			h.group("RegionOne", fakecloud.ServerGroup{Name: "shared", Policy: "anti-affinity"}, "a", "b", "c")
			if strings.Contains(c.left, "together") {
				h.group("RegionOne", fakecloud.ServerGroup{Name: "together", Policy: "affinity"})
			}
			h.Must(t, c.config)
			state := protocol.Object(h.I.State)
			region, id := protocol.Shown(state["region"]), protocol.Shown(state["servergroup_id"])
			if c.want["inherited_group"] == "true" {
				groups := h.Fake.ServerGroups("RegionOne")
				members := slices.Clone(groups[slices.IndexFunc(groups, func(g fakecloud.ServerGroup) bool { return g.ID == id })].Members)
				slices.Sort(members)
				c.want["members"] = strings.Join(members, " ")
			}
			for _, step := range []string{"applied", "refreshed"} {
				h.has(t, step, c.want)
				inherited := h.Shows("inherited_group")
				assert.Equal(t, "{AffinityPolicy={data={inherited_group="+inherited+" servergroup_id="+id+"} version=1}}", h.Shows("binding"), step)
				created := map[string]string{"true": "false", "false": "true"}[inherited]
				assert.Equal(t, region+"/"+id+" created "+created, h.identified(t), "%s: the identity", step)
				h.Look(t)
			}
			h.Later(t)
			h.Fake.AddServers(region, slices.Repeat([]fakecloud.Server{{Name: "m", Group: id}}, c.joins)...)
			h.Must(t, nil)
			assert.Equal(t, c.says == "", h.Said() == "", h.Said())
			assert.Contains(t, h.Said(), c.says)
			assert.Equal(t, c.left, h.groups("RegionOne")+h.groups("RegionTwo"), "left")
		})
	}
}

// TestChanges: another configuration keeps the group, or replaces the attachment, which deletes the group if the attachment
// made it. The plan says what happens to servers, at
// the argument that asks for the change. Another region in the provider block moves nothing.
func TestChanges(t *testing.T) {
	t.Parallel()
	with := func(group attributes, more ...any) attributes {
		config := attributes{"servergroup": group}
		for i := 0; i < len(more); i += 2 {
			config[more[i].(string)] = more[i+1]
		}
		return config
	}
	const changes = "The server group changes"
	const inTwo = "with a provider of RegionTwo"
	const stay = "All servers that have the old id in their scheduler_hints are then replaced, unless they have lifecycle { ignore_changes = " +
		"[scheduler_hints] }. With that they keep running with the id of the old group, which is deleted because the attachment " +
		"created it, and only new servers join the new group."
	rules := attributes{"name": "web", "max_server_per_host": 2}
	for name, c := range map[string]struct {
		before, after attributes
		left          string // groups that are left, by region
		at            string // paths of the plan's warnings
		says          string
	}{
		"the same": {asking("web"), asking("web"), "shared web", "", ""},
		"a zone":   {asking("web"), with(attributes{"name": "web"}, "availability_zone", "az-2"), "shared web", "", ""},
		inTwo:      {asking("web"), with(attributes{"name": "web"}, "availability_zone", "az-3"), "shared web", "", ""}, // RegionTwo has no az-3
		"another policy": {asking("web"), with(attributes{"name": "web", "policies": "affinity"}), "shared web",
			"servergroup.policies: " + changes, "servergroup_id changes"},
		"a rule":        {asking("web"), with(rules), "shared web", "servergroup.max_server_per_host: " + changes, "servergroup_id changes"},
		"the same rule": {with(rules), with(rules), "shared web", "", ""},
		"another region": {asking("web"), with(attributes{"name": "web"}, "region", "RegionTwo"), "shared / web", "region: " + changes,
			"servergroup_id changes"},
		"another's": {asking("web"), asking("shared"), "shared", "servergroup.name: " + changes, stay},
		"by a hint": {asking("web"), attributes{"scheduler_hints": attributes{"group": "shared"}}, "shared",
			"scheduler_hints.group: " + changes, "servergroup_id changes"},
		"its own": {asking("shared"), asking("web"), "shared web", "servergroup.name: " + changes, "which is kept because the attachment did not create it"},
		"any policy": {asking("web"), attributes{"scheduler_hints": attributes{"group": "together"}}, "shared together",
			"scheduler_hints.group: " + changes, "servergroup_id changes"},
		"no name": {asking("shared"), attributes{}, "", "servergroup: " + changes, "servergroup_id changes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hold(t, fakecloud.MemberUser)
			h.group("RegionOne", fakecloud.ServerGroup{Name: "shared", Policy: "anti-affinity"})
			if strings.Contains(c.left, "together") {
				h.group("RegionOne", fakecloud.ServerGroup{Name: "together", Policy: "affinity"})
			}
			h.Must(t, c.before)
			id := h.Shows("servergroup_id")
			in := h.Fake.AddServers("RegionOne", fakecloud.Server{Name: "a", Group: id}, fakecloud.Server{Name: "b", Group: id})
			h.Look(t)
			if name == inTwo {
				h.Home = "RegionTwo"
			}
			h.Later(t)
			planned := protocol.Object(h.MustPlan(t, c.after))
			h.Expect(t, c.at, c.says)
			for _, name := range []string{"servergroup_id", "servergroup_name", "policy", "inherited_group", "members", "binding"} {
				assert.Equal(t, c.at == "", planned[name].IsFullyKnown(), "planned is %s = %s", name, planned[name])
			}
			h.Later(t)
			h.Must(t, c.after)
			created := !strings.Contains(fmt.Sprint(c.before), "shared")
			assert.Equal(t, created && c.at != "", strings.Contains(h.Said(), "These servers run on without a group: "+
				strings.Join(slices.Sorted(slices.Values(in)), ", ")+"."))
			if c.left != "" {
				assert.Equal(t, c.left, strings.TrimSuffix(h.groups("RegionOne")+" / "+h.groups("RegionTwo"), " / "), "the groups")
			}
			now := h.Shows("servergroup_id")
			assert.Equal(t, c.at == "", now == id, "the group is %s, before %s", now, id)
			assert.Contains(t, h.identified(t), h.Shows("region")+"/"+h.Shows("servergroup_id")+" ", "the identity")
			h.has(t, "applied", map[string]string{"zone": protocol.Shown(tftypes.NewValue(tftypes.String, c.after["availability_zone"]))})
			h.Look(t)
			h.Later(t)
			h.settled(t, "applied", c.after)
		})
	}
}

// TestUnreadable: if Nova cannot be asked, no group counts as gone, as empty or as the
// attachment's own.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	failing := fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: "/os-server-groups/*", Status: http.StatusForbidden,
		Times: fakecloud.Forever}
	h := hold(t, fakecloud.MemberUser)
	h.Must(t, asking("web"))
	down := h.Fake.Inject(failing)
	after, err := h.Refresh(t.Context(), h.I)
	assert.Error(t, err, "the refresh")
	assert.False(t, after.State.IsNull(), "it counts as gone")
	down.Remove()
	list := failing
	list.Path = "/os-server-groups"
	down = h.Fake.Inject(list)
	id := h.Shows("region") + "/" + h.Shows("servergroup_id")
	_, err = h.Adopt(t.Context(), h.I.Kind, id+"/created")
	assert.Error(t, err, "it is imported as created, and nobody knows whose it is")
	down.Remove()
	_, err = h.Adopt(t.Context(), h.I.Kind, id+"/created")
	assert.NoError(t, err)

	h.Fake.RemoveServerGroup("RegionOne", h.Shows("servergroup_id"))
	before := h.At()
	_, err = h.Adopt(t.Context(), h.I.Kind, id)
	assert.NoError(t, err, "the import of what is not there")
	assert.Equal(t, before, h.At())
	h.Look(t)
	assert.True(t, h.I.State.IsNull(), "the group is gone")
	assert.Contains(t, h.At(), ": The server group is gone")
}

// TestImported: an import fills in the arguments about the group. By default the group
// is inherited.
func TestImported(t *testing.T) {
	t.Parallel()
	for suffix, created := range map[string]string{"": "false", "/created": "true"} {
		h := hold(t, fakecloud.MemberUser)
		id := h.group("RegionTwo", fakecloud.ServerGroup{Name: "web", Policy: "anti-affinity", MaxServerPerHost: 3}, "a")
		var err error
		h.I, err = h.Adopt(t.Context(), h.I.Kind, "RegionTwo/"+id+suffix)
		require.NoError(t, err)
		assert.Equal(t, "RegionTwo/"+id+" created "+created, h.identified(t), "the identity")
		h.I.Private = nil
		config := attributes{"region": "RegionTwo", "servergroup": attributes{"name": "web", "policies": "anti-affinity", "max_server_per_host": 3}}
		h.settled(t, "imported "+suffix, config)
		for given, want := range map[any]string{nil: "true", true: "false", false: "true"} {
			by := h.Identified(t, h.I.Kind, attributes{"region": "RegionTwo", "servergroup_id": id, "created": given})
			got, err := h.AdoptBy(t.Context(), h.I.Kind, by)
			require.NoError(t, err)
			assert.Equal(t, want, protocol.Shown(protocol.Object(got.State)["inherited_group"]), "by identity, created %v: inherited", given)
		}
	}
}

// TestForeign: a group of another project, which an admin sees, can only be imported as
// inherited, and stays inherited.
func TestForeign(t *testing.T) {
	t.Parallel()
	h := hold(t, fakecloud.AdminUser)
	id := h.group("RegionOne", fakecloud.ServerGroup{Name: "theirs", Policy: "anti-affinity", ProjectID: fakecloud.MemberProjectID})
	var err error
	h.I, err = h.Adopt(t.Context(), h.I.Kind, "RegionOne/"+id)
	assert.NoError(t, err)
	_, err = h.Adopt(t.Context(), h.I.Kind, "RegionOne/"+id+"/created")
	assert.Error(t, err)
	h.Expect(t, ": The server group is another project's", "")
}

// TestRefused: arguments for which no group can be attached are errors, and odd ones are
// warnings, each at its argument.
func TestRefused(t *testing.T) {
	t.Parallel()
	unknown := tftypes.UnknownValue
	for name, c := range map[string]struct {
		config attributes
		at     string
	}{
		"another policy": {attributes{"servergroup": attributes{"name": "shared", "policies": "affinity"}},
			"servergroup.policies: The server group has other rules"},
		"the default policy":  {asking("together"), "servergroup.policies: The server group has other rules"},
		"two of a name":       {asking("twin"), "servergroup.name: Several server groups have the name"},
		"an id of none":       {asking("1c7e2b94-0d6a-4f38-b5e1-92a4c8d07f63"), "servergroup.name: Unknown server group"},
		"a zone":              {attributes{"availability_zone": "cloud-nine"}, "availability_zone: Unknown availability zone"},
		"a zone that is down": {attributes{"availability_zone": "az-3"}, "availability_zone: The availability zone is down"},
		"a region":            {attributes{"region": "Atlantis"}, "region: Unknown region"},
		"DRS":                 {attributes{"enable_drs_extension": true}, "enable_drs_extension: Only an admin sees hypervisors"},
		"a rule of affinity": {attributes{"servergroup": attributes{"policies": "affinity", "max_server_per_host": 2}},
			"servergroup.max_server_per_host: Invalid rule"},
		"no such policy": {attributes{"servergroup": attributes{"policies": "aversion"}}, "servergroup.policies: Invalid Attribute Value Match"},
		"a rule of none": {attributes{"servergroup": attributes{"max_server_per_host": 0}}, "servergroup.max_server_per_host: Invalid Attribute Value"},
		"no name":        {asking(""), "servergroup.name: Invalid Attribute Value Length"},
		"a long name":    {asking(strings.Repeat("x", 256)), "servergroup.name: Invalid Attribute Value Length"},
		"no hint":        {attributes{"scheduler_hints": attributes{}}, "scheduler_hints.group: A missing argument"},
		"an empty hint":  {attributes{"scheduler_hints": attributes{"group": ""}}, "scheduler_hints.group: Invalid Attribute Value Length"},
		"no region":      {attributes{"region": ""}, "region: Invalid Attribute Value Length"},
		"no zone":        {attributes{"availability_zone": ""}, "availability_zone: Invalid Attribute Value Length"},
		"two groups": {attributes{"servergroup": attributes{"name": "shared"}, "scheduler_hints": attributes{"group": "together"}},
			"scheduler_hints.group: Scheduler hints without effect"},
		"one group, twice":    {attributes{"servergroup": attributes{"name": "shared"}, "scheduler_hints": attributes{"group": "shared"}}, ""},
		"a hint, made later":  {attributes{"scheduler_hints": attributes{"group": "later"}}, ""},
		"an unknown rule":     {attributes{"servergroup": attributes{"policies": unknown, "max_server_per_host": 2}}, ""},
		"an unknown region":   {attributes{"region": unknown, "availability_zone": "cloud-nine"}, ""},
		"an unknown zone":     {attributes{"availability_zone": unknown}, ""},
		"a zone with a host":  {attributes{"availability_zone": "az-1:host"}, ""},
		"a zone, DRS unknown": {attributes{"availability_zone": "cloud-nine", "enable_drs_extension": unknown}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hold(t, fakecloud.MemberUser)
			for group, policy := range map[string]string{"shared": "anti-affinity", "together": "affinity", "twin": "anti-affinity"} {
				h.group("RegionOne", fakecloud.ServerGroup{Name: group, Policy: policy})
			}
			twin := h.group("RegionOne", fakecloud.ServerGroup{Name: "twin", Policy: "anti-affinity"})
			h.Fake.SetZoneAvailable("RegionOne", "az-3", false)
			if err := h.Validate(t.Context(), h.I.Kind, c.config); err == nil {
				resp, _ := h.Plan(t.Context(), h.Request(h.I, c.config)) // its diagnostics are checked below
				if planned := h.Planned(resp); c.at == "" && !planned.IsNull() {
					known := c.config["availability_zone"] != unknown && c.config["enable_drs_extension"] != unknown
					assert.Equal(t, known, protocol.Object(planned)["zone"].IsKnown(), "whether the zone is known")
				}
			}
			assert.Equal(t, c.at, h.At(), h.Said())
			if way, there := map[string]attributes{"another policy": {"servergroup": attributes{"name": "shared", "policies": "anti-affinity"}},
				"the default policy": asking("shared"), "two of a name": asking(twin), "DRS": {}}[name]; there {
				h.Later(t)
				h.Must(t, way) // as the error says
			}
		})
	}
	h := hold(t, fakecloud.MemberUser)
	assert.Error(t, h.Try(t, attributes{"scheduler_hints": attributes{"group": "later"}}), "a hint, never made")
	h.Expect(t, "scheduler_hints.group: Unknown server group", "")
}

// TestChangesRefused: the plan refuses an apply that would fail; arguments that did not change are not checked again.
func TestChangesRefused(t *testing.T) {
	t.Parallel()
	const unknownZone = "availability_zone: Unknown availability zone"
	zoned := func(zone string, group attributes) attributes {
		return attributes{"availability_zone": zone, "servergroup": group}
	}
	web := attributes{"name": "web"}
	for name, c := range map[string]struct {
		after attributes
		gone  bool // whether its zone is gone
		at    string
	}{
		"a zone": {zoned("cloud-nine", web), false, unknownZone},
		"a zone of another region": {attributes{"region": "RegionTwo", "availability_zone": "az-3", "servergroup": web}, false,
			"region: The server group changes\n" + unknownZone},
		"a policy": {zoned("az-3", attributes{"name": "together"}), false,
			"servergroup.name: The server group changes\nservergroup.policies: The server group has other rules"},
		"the zone that it has":      {zoned("az-3", web), true, ""},
		"a group, with its zone":    {zoned("az-3", attributes{"name": "other"}), true, "servergroup.name: The server group changes\n" + unknownZone},
		"a group that is not known": {zoned("az-3", attributes{"name": tftypes.UnknownValue}), false, "servergroup: The server group changes"},
		"DRS": {attributes{"enable_drs_extension": true, "availability_zone": "az-3", "servergroup": web}, false,
			"enable_drs_extension: Only an admin sees hypervisors"},
		"a region, not known": {attributes{"region": tftypes.UnknownValue, "availability_zone": "az-3", "servergroup": web}, false,
			"region: The server group changes"},
		"DRS that is not known": {attributes{"enable_drs_extension": tftypes.UnknownValue, "availability_zone": "az-3", "servergroup": web}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hold(t, fakecloud.MemberUser)
			h.group("RegionOne", fakecloud.ServerGroup{Name: "together", Policy: "affinity"})
			h.Must(t, zoned("az-3", web))
			if c.gone {
				h.Fake.RemoveZone("RegionOne", "az-3")
			}
			h.Later(t)
			resp, err := h.Plan(t.Context(), h.Request(h.I, c.after))
			if err == nil && len(resp.RequiresReplace) > 0 {
				resp, err = h.Plan(t.Context(), h.Request(protocol.Instance{Kind: h.I.Kind}, c.after))
			}
			require.Equal(t, c.at, h.At(), "%v, said %s", err, h.Said())
			if err != nil {
				return
			}
			zone := protocol.Object(h.Planned(resp))["zone"]
			assert.Equal(t, c.after["enable_drs_extension"] != tftypes.UnknownValue, zone.IsKnown(), "the zone is %s", zone)
		})
	}
}

// TestZoneGoes: a zone that disappears between the plan and the apply is an error. The
// attachment keeps its group, and a new attachment makes no group.
func TestZoneGoes(t *testing.T) {
	t.Parallel()
	for _, exists := range []bool{false, true} {
		h := hold(t, fakecloud.MemberUser)
		if exists {
			h.Must(t, asking("web"))
		}
		groups := h.groups("RegionOne")
		req := h.Request(h.I, attributes{"servergroup": attributes{"name": "web"}, "availability_zone": "az-3"})
		plan, err := h.Plan(t.Context(), req)
		require.NoError(t, err)
		h.Fake.RemoveZone("RegionOne", "az-3")
		h.Later(t)
		resp, err := h.Server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{TypeName: h.I.Kind, PriorState: req.PriorState,
			PlannedState: plan.PlannedState, Config: req.Config, PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity})
		require.NoError(t, err)
		state := protocol.Unpack(h.TypeOf(h.I.Kind), resp.NewState)
		assert.Equal(t, "availability_zone: Unknown availability zone", protocol.At(resp.Diagnostics))
		assert.True(t, exists && state.Equal(h.I.State) || !exists && state.IsNull(), "the state is %s", state)
		assert.Equal(t, groups, h.groups("RegionOne"), "the groups")
	}
}

// TestDRSStays: the host of a vSphere cluster is chosen once, and again if the
// extension is turned on or off.
func TestDRSStays(t *testing.T) {
	t.Parallel()
	h := hold(t, fakecloud.AdminUser)
	drs := func(on bool) attributes { return attributes{"region": "RegionTwo", "enable_drs_extension": on} }
	h.Must(t, drs(true))
	h.has(t, "with DRS", map[string]string{"zone": "az-2:vsphere_drs_1"})
	h.Fake.SetHostDown("RegionTwo", "vsphere_drs_1", true)
	h.Later(t)
	h.Look(t)
	h.settled(t, "with its host down", drs(true))
	h.Must(t, drs(true))
	h.has(t, "with its host down", map[string]string{"zone": "az-2:vsphere_drs_1"})
	_, err := h.Plan(t.Context(), h.Request(protocol.Instance{Kind: h.I.Kind}, drs(true)))
	assert.Error(t, err, "a new one")
	h.Expect(t, "enable_drs_extension: No suitable vSphere host is available.", "")
	h.Must(t, drs(false))
	h.has(t, "without DRS", map[string]string{"zone": ""})
	h.Fake.SetHostDown("RegionTwo", "vsphere_drs_1", false)
	h.Later(t)
	h.Must(t, drs(true))
	h.has(t, "with DRS again", map[string]string{"zone": "az-2:vsphere_drs_1"})
}

// TestDRSZone: the host must be in the requested zone, and its zone must be known.
func TestDRSZone(t *testing.T) {
	t.Parallel()
	fault := func(path string, status int) *fakecloud.Fault {
		return &fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodGet, Path: path, Status: status, Times: fakecloud.Forever}
	}
	hidden := fault("/os-availability-zone/detail", http.StatusForbidden)
	for name, c := range map[string]struct {
		zone  any
		fault *fakecloud.Fault
		want  string
		at    string
	}{
		"its zone":       {"az-2", nil, "az-2:vsphere_drs_1", ""},
		"none":           {nil, nil, "az-2:vsphere_drs_1", ""},
		"another":        {"az-1", nil, "", "availability_zone: The vSphere host is in another zone"},
		"with a host":    {"az-2:vsphere_drs_1", nil, "", "availability_zone: Unknown availability zone"},
		"hidden, a zone": {"az-1", hidden, "", "enable_drs_extension: Only an admin sees hypervisors"},
		"hidden, none":   {nil, hidden, "", "enable_drs_extension: Only an admin sees hypervisors"},
		"no hypervisors": {"az-2", fault("/os-hypervisors/detail", http.StatusNotImplemented), "",
			"enable_drs_extension: Unable to look for a vSphere host"},
		"no zones":             {"az-2", fault("/os-availability-zone", http.StatusNotImplemented), "", ": Unable to look up availability zones"},
		"hidden, no such zone": {"az-9", hidden, "", "availability_zone: Unknown availability zone"},
	} {
		h := hold(t, fakecloud.AdminUser)
		if c.fault != nil {
			h.Fake.Inject(*c.fault)
		}
		err := h.Try(t, attributes{"region": "RegionTwo", "enable_drs_extension": true, "availability_zone": c.zone})
		assert.Equal(t, c.at, h.At(), "%s: said %s", name, h.Said())
		if assert.Equal(t, c.at == "", err == nil, name); err == nil {
			h.has(t, name, map[string]string{"zone": c.want})
		}
	}
}

// TestNotDeleted: a group that could not be deleted is deleted by the next apply.
func TestNotDeleted(t *testing.T) {
	t.Parallel()
	h := hold(t, fakecloud.MemberUser)
	h.Must(t, asking("web"))
	down := h.Fake.Inject(fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodDelete, Path: "/os-server-groups/*", Status: http.StatusConflict,
		Times: fakecloud.Forever})
	for _, config := range []attributes{asking("db"), nil} {
		assert.Error(t, h.Try(t, config))
		assert.Equal(t, "web", h.Shows("servergroup_name"), "the state")
	}
	down.Remove()
	h.Must(t, asking("db"))
	assert.Equal(t, "db", h.groups("RegionOne"), "left")
}

// TestOwnById: a group that the attachment made is still its own after the configuration names it by id.
func TestOwnById(t *testing.T) {
	t.Parallel()
	h := hold(t, fakecloud.MemberUser)
	h.Must(t, asking("web"))
	id := h.Shows("servergroup_id")
	h.Must(t, asking(id))
	h.has(t, "applied", map[string]string{"servergroup_id": id, "inherited_group": "false"})
	h.Must(t, nil)
	assert.Empty(t, h.groups("RegionOne"), "left")
}

// lostPost makes the next group, and loses the answer.
var lostPost = fakecloud.Fault{Service: fakecloud.Compute, Method: http.MethodPost, Path: "/os-server-groups", Effect: fakecloud.Reset, Acts: true}

// TestLost: if the answer to a creation is lost, the error names the group, and the state has no attachment.
func TestLost(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]attributes{"its own name": {}, "a chosen name": asking("web")} {
		h := hold(t, fakecloud.MemberUser)
		h.Fake.Inject(lostPost)
		err := h.Try(t, config)
		assert.True(t, h.I.State.IsNull(), "%s: the state has the attachment", name)
		require.Len(t, h.Fake.ServerGroups("RegionOne"), 1, name)
		assert.ErrorContains(t, err, fmt.Sprintf("the server group %q was made", h.groups("RegionOne")), name)
	}
}
