package planview

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Effect is what a plan does to a server, or to another resource of a node, the
// worst first.
type Effect int

// The effects.
const (
	Replaced Effect = iota
	Destroyed
	Forgotten
	Stopped
	Rebuilt
	Resized
	Created
	ChangedInPlace
)

// effects are the words for several, in order.
var effects = [...]string{
	"replaced",
	"destroyed",
	"forgotten",
	"stopped",
	"rebuilt",
	"resized",
	"created",
	"changed in place",
}

// Server is a server, or another resource of a node, that a plan changes though
// no change of a node asks for it.
type Server struct {
	Address string
	Effect  Effect
	Text    string // what happens, and why
	noun    string // what it is called
	index   int64  // of its node
}

// serverType is the type of servers. What else belongs to a node is seen by the
// name of the node in its address.
const serverType = "openstack_compute_instance_v2"

// explain gives each attachment the resources of its nodes that change for
// another reason, and returns the servers that belong to no node.
func explain(list []Attachment, changes []resourceChange) []Server {
	owners := map[string][]int{}
	fates := make([]map[string][]Fate, len(list))
	indices := map[string]int64{}
	for i := range list {
		fates[i] = map[string][]Fate{}
		for n := range list[i].nodes {
			if len(fates[i][n.Name]) == 0 {
				owners[n.Name] = append(owners[n.Name], i)
			}
			fates[i][n.Name] = append(fates[i][n.Name], n.Fate)
			indices[n.Name] = n.Index
		}
	}
	var others []Server
	struck := make([]map[string]string, len(list)) // what happens to servers, by node
	for _, c := range changes {
		if c.Mode != "managed" || c.Type == resourceType {
			continue
		}
		s, does := c.server()
		if !does {
			continue
		}
		owned := false
		for _, name := range keys(c.Address) {
			nearest := nearest(list, owners[name], c.Module)
			if len(nearest) == 0 {
				continue
			}
			owned = true
			unexplained := func(i int) bool { return !list[i].explains(fates[i][name], s.Effect, c.Deposed) }
			if !slices.ContainsFunc(nearest, unexplained) {
				break
			}
			i := nearest[0]
			s.index = indices[name]
			list[i].Servers = append(list[i].Servers, s)
			if s.Effect <= Resized {
				if struck[i] == nil {
					struck[i] = map[string]string{}
				}
				struck[i][name] = cmp.Or(struck[i][name], s.Address+" "+s.Text)
			}
			break
		}
		if !owned && c.Type == serverType {
			others = append(others, s)
		}
	}
	for i := range list {
		list[i].strike(struck[i])
		sortServers(list[i].Servers)
	}
	sortServers(others)
	return others
}

// strike notes at the nodes that stay or change what happens to their servers.
func (a *Attachment) strike(struck map[string]string) {
	note := func(nodes []Node) {
		for i, n := range nodes {
			if n.Fate == Stays || n.Fate == Changes || n.Fate == Remade {
				nodes[i].Server = struck[n.Name]
			}
		}
	}
	for i := range a.Regions {
		note(a.Regions[i].Nodes)
		for j := range a.Regions[i].Zones {
			note(a.Regions[i].Zones[j].Nodes)
		}
	}
}

// sortServers sorts what is known to be a server first.
func sortServers(list []Server) {
	slices.SortFunc(list, func(a, b Server) int {
		if x, y := a.noun == "server", b.noun == "server"; x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.noun, b.noun), cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.index, b.index),
			cmp.Compare(a.Address, b.Address), cmp.Compare(a.Text, b.Text))
	})
}

// explains reports whether an effect on a resource of a node follows from what happens
// to the node.
func (a *Attachment) explains(fates []Fate, e Effect, deposed string) bool {
	is := func(fate Fate) bool { return slices.Contains(fates, fate) }
	switch {
	case deposed != "" || a.Action == Delete:
		return false
	case is(Comes) && is(Leaves): // goes on in another place
		return true
	case is(Comes):
		return e == Created
	case is(Leaves):
		return e == Destroyed
	case is(Remade):
		return e == Replaced || e == ChangedInPlace
	}
	return is(Changes) && (e == Rebuilt || e == Resized || e == ChangedInPlace)
}

// nearest are the attachments of a list whose modules have most in common with a
// module: two clusters in two modules may have nodes of the same name.
func nearest(list []Attachment, from []int, module string) (best []int) {
	most := -1
	for _, i := range from {
		common := 0
		for common < min(len(module), len(list[i].module)) && module[common] == list[i].module[common] {
			common++
		}
		if common > most {
			most, best = common, nil
		}
		if common == most {
			best = append(best, i)
		}
	}
	return best
}

// keyed is an instance of for_each in an address.
var keyed = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]`)

// keys are those in an address, the last first.
func keys(address string) (list []string) {
	for _, part := range keyed.FindAllString(address, -1) {
		if key, err := strconv.Unquote(part[1 : len(part)-1]); err == nil {
			list = append(list, key)
		}
	}
	slices.Reverse(list)
	return list
}

// server says what a change does, if it does something.
func (c resourceChange) server() (Server, bool) {
	s := Server{Address: c.Address, noun: "server"}
	if c.Type != serverType {
		s.noun = c.Type + " resource"
	}
	does := func(action string) bool { return slices.Contains(c.Change.Actions, action) }
	switch {
	case c.Deposed != "" && does("delete"):
		s.Effect, s.Text = Destroyed, "is destroyed: an earlier apply replaced it and could not destroy it"
	case does("delete") && does("create"):
		order := "destroyed, then created again"
		if c.Change.Actions[0] == "create" {
			order = "a new one is created, then the old one is destroyed"
		}
		s.Effect, s.Text = Replaced, "is replaced"+c.because()+": "+order
	case does("delete"):
		s.Effect, s.Text = Destroyed, "is destroyed"
	case does("forget"):
		s.Effect, s.Text = Forgotten, "is forgotten: it stays in the cloud, and Terraform does not manage it any more"
	case does("create"):
		s.Effect, s.Text = Created, "is created"
	case does("update"):
		s.Effect, s.Text = c.updated()
	default:
		return s, false
	}
	return s, true
}

// because says why a resource is replaced, as far as the plan says it.
func (c resourceChange) because() string {
	switch c.ActionReason {
	case "replace_because_tainted":
		return " because it is tainted"
	case "replace_by_request":
		return " because -replace asks for it"
	case "replace_by_triggers":
		return " because of replace_triggered_by"
	}
	names := map[string]bool{}
	for _, path := range c.Change.ReplacePaths {
		var name string
		if len(path) > 0 && json.Unmarshal(path[0], &name) == nil {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " because of " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// updated is the effect of a change in place, and its text. What a change does to a
// resource of an unknown type cannot be known here.
func (c resourceChange) updated() (Effect, string) {
	var before, after, unknown map[string]json.RawMessage
	for text, into := range map[*json.RawMessage]*map[string]json.RawMessage{
		&c.Change.Before: &before, &c.Change.After: &after, &c.Change.AfterUnknown: &unknown,
	} {
		if json.Unmarshal(*text, into) != nil {
			*into = nil
		}
	}
	names := map[string]bool{}
	for _, values := range []map[string]json.RawMessage{before, after} {
		for name := range values {
			names[name] = !same(before[name], after[name])
		}
	}
	for name, text := range unknown {
		names[name] = names[name] || bytes.Contains(text, []byte("true"))
	}
	maps.DeleteFunc(names, func(_ string, differs bool) bool { return !differs })
	text := "is changed in place"
	if len(names) > 0 {
		text += ": " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
	}
	if c.Type != serverType {
		return ChangedInPlace, text
	}
	rebuilt, resized := names["image_id"] || names["image_name"], names["flavor_id"] || names["flavor_name"]
	var state string
	_ = json.Unmarshal(after["power_state"], &state) // "": it is not given
	switch {
	case names["power_state"] && state != "" && state != "active":
		return Stopped, fmt.Sprintf("is stopped: its power_state becomes %q", state)
	case rebuilt && resized:
		return Rebuilt, "is rebuilt and resized in place: its disk is lost"
	case rebuilt:
		return Rebuilt, "is rebuilt in place: its disk is lost"
	case resized:
		return Resized, "is resized in place"
	}
	return ChangedInPlace, text
}

// same reports whether two values of one printed plan are the same: absent is
// null, and Terraform prints the keys of objects in order.
func same(a, b json.RawMessage) bool {
	return string(a) == string(b) || !given(a) && !given(b)
}

// count says how many servers, and other resources of nodes, something happens
// to, in the order of the list; "": none.
func count(list []Server) string {
	type kind struct {
		noun   string
		effect Effect
	}
	counts := map[kind]int64{}
	var kinds []kind
	for _, s := range list {
		k := kind{s.noun, s.Effect}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		verb := "are"
		if counts[k] == 1 {
			verb = "is"
		}
		parts[i] = fmt.Sprintf("%s %s %s", text.Count(counts[k], k.noun), verb, effects[k.effect])
	}
	return text.And(parts)
}

// serverSection lists servers under a title, at most limit of them.
func serverSection(title string, list []Server, limit int) section {
	if len(list) == 0 {
		return section{}
	}
	shown := list[:min(len(list), limit)]
	s := section{title: title + ": " + count(list), more: len(list) - len(shown), warns: true}
	for _, server := range shown {
		s.items = append(s.items, item{server.Address, server.Text})
	}
	return s
}

// others is the section about the servers of no node.
func (p Plan) others(limit int) section {
	return serverSection("They belong to no node", p.Servers, limit)
}
