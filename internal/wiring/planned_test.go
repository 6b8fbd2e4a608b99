package wiring

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var unknown = Value{Unknown: true}

func known(text string) Value { return Value{Text: text} }

// runs is a node of R/a whose server is there, serves, and stays; change changes it.
func runs(name string, change func(n *Planned)) Planned {
	is := Made{known("id-" + name), known(name), known("R"), known("a"), known("i1"), known("debian-12"), known("f1"), known("small")}
	n := Planned{Name: name, Node: true, Server: true, Has: is, Was: is, Serves: "id-" + name,
		Wants:    Made{Region: known("R"), Zone: known("a"), Image: known("i1"), Flavor: known("f1"), FlavorName: known("small")},
		Template: map[string]string{"image": "debian-12", "flavor": "small"}}
	if change != nil {
		change(&n)
	}
	return n
}

// comes is a new node, whose server the plan makes.
func comes(name string, change func(n *Planned)) Planned {
	return runs(name, func(n *Planned) {
		n.Has.ID, n.Was, n.Serves = unknown, Made{}, ""
		if change != nil {
			change(n)
		}
	})
}

// TestJudge has each row of the table: what a plan shows before it is applied, and what is no mistake.
func TestJudge(t *testing.T) {
	again := func(n *Planned) { n.Has.ID = unknown }
	image := func(name string) func(*Planned) {
		return func(n *Planned) { n.Template = map[string]string{"image": name} }
	}
	own := func(name string) func(*Planned) { // a template of the user's own
		return func(n *Planned) { image(name)(n); n.Wants.Image = Value{} }
	}
	gone := func(id, name string) func(*Planned) { // an image that Glance has no more
		return func(n *Planned) {
			own(name)(n)
			n.Has.Image, n.Has.ImageName = known(id), known("Image not found")
			n.Was = n.Has
		}
	}
	port := func(n *Planned) { n.Has.ID, n.Managed, n.Port = unknown, true, "p" }
	rises := func(n *Planned) { n.Rises, n.Serves = true, "" }
	dead := func(n *Planned) { n.Taken, n.Dead = true, []string{"x"} }
	failed := func(n *Planned) { dead(n); n.Has.ID = known("x") }
	of := func(nodes ...Planned) Plan { return Plan{Nodes: nodes, Batch: 1} }
	inPlace := Plan{InPlace: true}
	inPlace.Nodes = []Planned{runs("web-0", func(n *Planned) { n.Has.Image, n.Serves = known("i2"), "" })}
	unseen := Plan{Nodes: []Planned{runs("web-0", nil)}, Unseen: []string{"web-2", "web-1"}, Batch: 1}
	begins := unseen
	begins.Begins = true
	unplaced := of(comes("web-0", again), comes("web-1", again))
	unplaced.Batch = -1
	const twice = "web-0 Terraform replaces or changes 2 servers, which serve, although no node asks for it: "
	for name, c := range map[string]struct {
		plan Plan
		want string // node, the beginning of what is said, and "~" for a warning
	}{
		"all is well":              {of(runs("web-0", nil), comes("web-1", nil)), ""},
		"unknown values":           {of(Planned{Name: "web-0", Node: true, Server: true, Has: Made{ID: unknown, Name: unknown, Region: unknown}}), ""},
		"a node without a server":  {of(runs("web-1", func(n *Planned) { n.Server = false })), "web-1 (has no server)"},
		"a server without a node":  {of(runs("web-1", func(n *Planned) { n.Node = false })), "web-1 (is no node)"},
		"a look that missed it":    {of(runs("web-1", func(n *Planned) { n.Revised = true })), "web-1 (server "},
		"a name":                   {of(runs("web-1", func(n *Planned) { n.Has.Name = known("x") })), "web-1 (its server is named x)"},
		"a name that is not known": {of(comes("web-1", func(n *Planned) { n.Has.Name = unknown })), ""},
		"a region":                 {of(comes("web-1", func(n *Planned) { n.Has.Region = known("S") })), "web-1 (its server is in S, not in R)"},
		"no region, and only one":  {of(comes("web-1", func(n *Planned) { n.Has.Region = unknown })), ""},
		"no region": {of(comes("a", func(n *Planned) { n.Wants.Region, n.Has.Region = known("S"), known("S") }),
			comes("b", func(n *Planned) { n.Has.Region = unknown })), "b (its server has no region)"},
		"a port": {Plan{Nodes: []Planned{runs("web-1", port)}, MakesFirst: true, Batch: -1}, "web-1 (server id-web-1 has port p)"},
		"a port of one that never served": {Plan{Nodes: []Planned{runs("web-1", func(n *Planned) { port(n); n.Serves = "" })}, MakesFirst: true, Batch: -1},
			"web-1 (server id-web-1 has port p)"},
		"a port that is left first":  {Plan{Nodes: []Planned{runs("web-1", port)}, Batch: -1}, ""},
		"a zone":                     {of(comes("web-1", func(n *Planned) { n.Has.Zone = known("b") })), "web-1 (its server is in b, not in a)"},
		"a zone with a host":         {of(comes("web-1", func(n *Planned) { n.Has.Zone = known("a:host-1") })), ""},
		"no zone":                    {of(comes("web-1", func(n *Planned) { n.Has.Zone = unknown })), "web-1 (its server has no zone)"},
		"a node without a zone":      {of(comes("web-1", func(n *Planned) { n.Wants.Zone, n.Has.Zone = Value{}, unknown })), ""},
		"a server that was migrated": {of(runs("web-1", func(n *Planned) { n.Has.Zone = known("b") })), ""},
		"an image":                   {of(comes("web-1", func(n *Planned) { n.Has.Image = known("i2") })), "web-1 (its server gets image i2, not i1)"},
		"an image, rebuilt by hand":  {of(runs("web-1", func(n *Planned) { n.Has.Image, n.Was.Image = known("i2"), known("i2") })), ""},
		"an image, IN_PLACE":         {inPlace, "web-0 (its server gets image i2, not i1)"},
		"an image by its name": {of(comes("web-1", func(n *Planned) { n.Has.Image = unknown })),
			"web-1 (its server gets an image by its name, debian-12)"},
		"a flavor": {of(comes("web-1", func(n *Planned) { n.Has.Flavor = known("f2") })), "web-1 (its server gets flavor f2, not f1)"},
		"a flavor by name": {of(comes("web-1", func(n *Planned) { n.Has.Flavor, n.Has.FlavorName = unknown, known("large") })),
			"web-1 (its server gets flavor large, not small)"},
		"a flavor by name, listed id": {of(comes("web-1", func(n *Planned) { n.Has.FlavorName, n.Wants.FlavorName = known("f1"), known("small") })), ""},
		"an image written literally": {of(runs("web-0", own("debian-12")), comes("web-1", own("debian-13"))),
			"web-0 (image = debian-12), web-1 (image = debian-13)"},
		"two images of two nodes": {of(runs("web-0", nil), comes("web-1", func(n *Planned) {
			image("debian-13")(n)
			n.Has.Image, n.Wants.Image, n.Has.ImageName = known("i2"), known("i2"), known("debian-13")
		})), ""},
		"two images that are gone": {of(runs("web-0", gone("i1", "debian-11")), runs("web-1", gone("i2", "debian-12")),
			comes("web-2", func(n *Planned) { own("debian-13")(n); n.Has.Image = unknown; n.Has.ImageName = known("debian-13") }),
			comes("web-3", func(n *Planned) { gone("i3", "debian-10")(n); n.Has.ID, n.Was = unknown, Made{} })), ""},
		"two images that are gone, by their nodes' ids": {of(runs("web-0", func(n *Planned) { gone("i1", "debian-11")(n); n.Wants.Image = known("i1") }),
			comes("web-2", func(n *Planned) {
				gone("i2", "debian-12")(n)
				n.Has.ID, n.Wants.Image = unknown, known("i2")
				n.Was = Made{}
			})), ""},
		"two names of one image before": {of(runs("web-0", nil), runs("web-1", image("debian-13"))), ""},
		"no replace_triggered_by":       {of(runs("web-0", rises)), "web-0 (its server is not made again)"},
		"made again":                    {of(runs("web-0", func(n *Planned) { rises(n); again(n) })), ""},
		"one outside of the batch":      {of(runs("web-0", again), runs("web-1", nil)), "~web-0 Terraform replaces or changes 1 server, which serve"},
		"two outside of a batch of one": {of(runs("web-0", again), runs("web-1", again)), twice + "web-0 (server id-web-0 is made again), " +
			"web-1 (server id-web-1 is made again). This plan may replace 1 node more. A server that is tainted"},
		"two rebuilt and resized": {of(runs("web-0", func(n *Planned) { n.Has.Image, n.Wants = known("i2"), Made{} }),
			runs("web-1", func(n *Planned) { n.Has.Flavor = known("f2") })), twice + "web-0 (it gets image i2), web-1 (it gets flavor f2). " +
			"This plan may replace 1 node more. If an argument"},
		"a flavor made again": {of(runs("web-1", func(n *Planned) {
			n.Has.Flavor, n.Wants.Flavor, n.Has.FlavorName = known("f2"), Value{}, known("old")
		})), ""},
		"nodes that are not handed over": {unseen,
			"~The cluster has nodes that are not handed over to the readiness attachment: web-1, web-2."},
		"nodes that are not handed over, and a batch begins": {begins,
			"The cluster has nodes that are not handed over to the readiness attachment: web-1, web-2."},
		"no attachment of nodes": {unplaced, ""},
		"which do not serve": {of(runs("web-0", func(n *Planned) { again(n); n.Serves = "" }),
			runs("web-1", func(n *Planned) { again(n); n.Serves = "" })), ""},
		"made by this apply": {of(runs("web-0", func(n *Planned) { n.Has.ID = known("new") }),
			runs("web-1", func(n *Planned) { n.Has.ID = known("x") })), "web-0 Terraform replaces or changes 2 servers, which serve"},
		"not in the state": {of(comes("web-0", func(n *Planned) { n.Serves = "lost" }), comes("web-1", func(n *Planned) { n.Serves = "lost" })),
			""},
		"a new readiness attachment": {of(comes("web-0", func(n *Planned) { n.Serves, n.Managed = "1", true }),
			comes("web-1", func(n *Planned) { n.Serves, n.Managed = "2", true })), "web-0 Terraform replaces or changes 2 servers, which serve"},
		"a dead server, once more": {of(comes("web-1", dead)), "web-1 Terraform makes servers again whose names others have: web-1 (dead: x). 0 more"},
		"one that nobody looked at": {of(comes("web-1", func(n *Planned) { n.Taken = true })), "web-1 Terraform makes servers again whose names others " +
			"have: web-1 (not known)"},
		"as many as there is room for": {Plan{Nodes: []Planned{comes("web-1", dead)}, Batch: 1, Free: 1}, ""},
		"a newer one failed":           {of(runs("web-1", failed)), "~web-1 Terraform replaces or changes 1 server, which serve"},
		"newer ones of two nodes failed": {of(runs("web-0", failed), runs("web-1", failed)), twice + "web-0 (its new server failed: x; id-web-0 serves), " +
			"web-1 (its new server failed: x; id-web-1 serves). This plan may replace 1 node more. Where a new server failed, name the node in candidates, " +
			"or delete what failed (openstack server delete ID): to untaint it does not help. If an argument"},
	} {
		for range 3 { // maps have another order each time
			var got []string
			for _, f := range Judge(c.plan) {
				text, sign := f.Text, map[bool]string{true: "~"}[f.Passes]
				if strings.HasPrefix(text, "Terraform") {
					text = f.Node + " " + text
				}
				got = append(got, sign+text)
			}
			if c.want == "" || len(got) != 1 {
				assert.Equal(t, c.want, strings.Join(got, " | "), name)
				continue
			}
			assert.True(t, strings.HasPrefix(got[0], c.want), "%s: %s", name, got[0])
		}
	}
}
