package placementtf

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// A port or a volume that somebody takes from a server is made or attached again by Terraform, but a port not to the
// server that runs, and a volume not to the file systems in it. So the server has to be made again. Nova shows what a
// server has now, and the template of its node what it was made with.

// hangs are numbers of ports and volumes.
type hangs struct{ ports, volumes int }

// wanted returns the numbers of ports and volumes with which the servers of nodes were made, by the names of the nodes.
// It leaves out nodes that say nothing of them.
func wanted(r roster.Roster) map[string]hangs {
	all, read := map[string]hangs{}, map[roster.Template]hangs{}
	for name, n := range r.Nodes {
		if _, known := read[n.Template]; !known {
			values := n.Template.Values()
			wants := hangs{
				ports:   length(values[keyNetworks]),
				volumes: length(values[roster.KeyVolumes]) + length(values[keyDisks]),
			}
			if values[roster.KeyBootVolume] != "" {
				wants.volumes++
			}
			read[n.Template] = wants
		}
		if wants := read[n.Template]; wants != (hangs{}) {
			all[name] = wants
		}
	}
	return all
}

// length returns the number of items of a list or an object in JSON.
func length(text string) int {
	var list []any
	var object map[string]any
	if json.Unmarshal([]byte(text), &list) != nil {
		_ = json.Unmarshal([]byte(text), &object)
	}
	return len(list) + len(object)
}

// mostAsked is the maximum number of servers of a region whose ports are asked for. More that lose their ports at once
// are the cloud's fault, and not theirs.
const mostAsked = 50

// compare notes which servers have what their nodes want, and what those have lost that had it once. Nova's list of
// addresses may lag, so Neutron has to agree; if it does not answer, nothing is lost.
func (l *look) compare(ctx context.Context, wants map[string]hangs, before roster.Seen) {
	lost := map[string][]string{} // servers that seem to have lost ports, by region
	for i, s := range l.servers {
		want, asked := wants[s.Name]
		if !asked {
			continue
		}
		was := before.Servers[s.Name]
		l.servers[i].Whole = s.Ports >= want.ports && s.Volumes >= want.volumes || was.ID == s.ID && was.Whole
		if !l.servers[i].Whole || s.Status != active {
			continue
		}
		l.servers[i].LostVolumes = max(want.volumes-s.Volumes, 0)
		if s.Ports < want.ports {
			lost[s.Region] = append(lost[s.Region], s.ID)
		}
	}
	for _, region := range slices.Sorted(maps.Keys(lost)) {
		if len(lost[region]) > mostAsked {
			continue
		}
		ports, err := l.cloud.PortsOf(ctx, region, lost[region])
		if err != nil {
			continue
		}
		for i, s := range l.servers {
			if slices.Contains(lost[region], s.ID) {
				l.servers[i].LostPorts = max(wants[s.Name].ports-ports[s.ID], 0)
			}
		}
	}
}
