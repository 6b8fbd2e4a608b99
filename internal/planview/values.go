package planview

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/naming"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/placement"
)

// attributes are the values of an attachment in a plan.
type attributes struct {
	Cluster   string              `json:"cluster"`
	Update    *updateJSON         `json:"update"`
	Nodes     map[string]nodeJSON `json:"nodes"`
	Slots     map[string]nodeJSON `json:"slots"`
	Change    []string            `json:"change"`
	Held      []string            `json:"held"`
	Remaining int64               `json:"remaining"`
	Phase     string              `json:"phase"`
	Status    string              `json:"status"`
	Summary   string              `json:"summary"`
	Next      int64               `json:"next_index"`

	Pattern naming.Pattern `json:"node_name_pattern"`
}

type nodeJSON struct {
	placement.Place
	Index      int64  `json:"index"`
	Generation int64  `json:"generation"`
	Mark       string `json:"mark"`
}

type updateJSON struct {
	Pause string `json:"pause"`
}

// had returns a function that reports whether the cluster has ever given a name to a node.
func (v *attributes) had() func(name string) bool {
	if v.Pattern.Check() != "" {
		return func(string) bool { return false }
	}
	indices := v.Pattern.Indices(v.Cluster)
	return func(name string) bool {
		index, ok := indices(name)
		return ok && index < v.Next
	}
}

// Effect is what a plan does to a server, or to another resource of a node, the worst first.
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

// effects are the words for each effect, in order.
var effects = [...]string{"replaced", "destroyed", "forgotten", "stopped", "rebuilt", "resized", "created",
	"changed in place"}

// server returns what a change does, and whether it does something.
func (c change) server() (Server, bool) {
	s := Server{Address: c.Address, Type: c.Type, isServer: c.isServer()}
	does := func(action string) bool { return slices.Contains(c.Change.Actions, action) }
	switch {
	case c.DeposedKey != "" && does("delete"):
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

// servers matches the types of servers, also those of forks of terraform-provider-openstack.
var servers = regexp.MustCompile(`_compute_instance(_v[0-9]+)?$`)

func (c change) isServer() bool { return servers.MatchString(c.Type) }

// ours reports whether a resource is of this provider: destroying it destroys no data.
func (c change) ours() bool { return strings.HasPrefix(c.Type, "stackpolicy_") }

// ofServer reports whether a resource is a server, or is made for one: it does not outlive the server in a slot.
func (c change) ofServer() bool {
	return c.isServer() || strings.HasPrefix(c.Type, "openstack_compute_") || c.Type == "terraform_data" || c.ours()
}

// keeps reports whether a resource has data, or an address: without its server it is not made again.
func (c change) keeps() bool {
	return strings.HasPrefix(c.Type, "openstack_blockstorage_") || c.Type == "openstack_networking_port_v2"
}

// tainted is the reason why a resource is replaced that an earlier apply could not finish.
const tainted = "replace_because_tainted"

// because says why a resource is replaced, if the plan says it.
func (c change) because() string {
	switch c.Reason {
	case tainted:
		return " because it is tainted"
	case "replace_by_request":
		return " because -replace asks for it"
	case "replace_by_triggers":
		return " because of replace_triggered_by"
	}
	names := map[string]bool{}
	for _, path := range c.Change.ReplacePaths {
		if path, _ := path.([]any); len(path) > 0 {
			if name, ok := path[0].(string); ok {
				names[name] = true
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " because of " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// updated returns the effect of a change in place, and its text. The effect on a resource of an unknown type cannot
// be known here.
func (c change) updated() (Effect, string) {
	before, _ := c.Change.Before.(map[string]any)
	after, _ := c.Change.After.(map[string]any)
	names := marks(c.Change.AfterUnknown)
	for _, values := range []map[string]any{before, after} {
		for name := range values {
			names[name] = names[name] || !reflect.DeepEqual(before[name], after[name])
		}
	}
	maps.DeleteFunc(names, func(_ string, differs bool) bool { return !differs })
	said := "is changed in place"
	if len(names) > 0 {
		said += ": " + strings.Join(slices.Sorted(maps.Keys(names)), ", ")
	}
	if !c.isServer() {
		return ChangedInPlace, said
	}
	rebuilt, resized := names["image_id"] || names["image_name"], names["flavor_id"] || names["flavor_name"]
	state, _ := after["power_state"].(string) // "" if it is not set
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
	return ChangedInPlace, said
}
