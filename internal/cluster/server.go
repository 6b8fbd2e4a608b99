package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// server is what is read of a server in Nova's detailed list.
type server struct {
	ID, Name, Status, Zone, HostID string
	Created                        string
	Image                          string            // its id; "" for a server that boots from a volume
	Metadata                       map[string]string // of the keys that are asked for
	Tags                           []string
	Locked                         bool
	Fault                          string // why the server is in ERROR

	hidden bool // in a cell that is down: only the id and little else is known
}

// gone tells a server that only waits for its removal.
func (s *server) gone() bool { return s.Status == "DELETED" || s.Status == "SOFT_DELETED" }

// node translates a server into what the policies see.
func (s *server) node(region string, keys Keys) (node.Node, error) {
	n := node.Node{ID: s.ID, Name: s.Name, Region: region, Status: s.Status, HostID: s.HostID}
	n.Zone, _, _ = strings.Cut(s.Zone, ":") // zone:host forces a host, in a zone
	if s.Created != "" {
		created, err := time.Parse(time.RFC3339, s.Created)
		if err != nil {
			return n, fmt.Errorf("server %s: %w", s.ID, err)
		}
		n.CreatedAt = created.UTC()
	}
	if keys.Profile == "" {
		n.Profile = s.Image
	} else {
		n.Profile = s.Metadata[keys.Profile]
		n.ProfileCreatedAt, _ = time.Parse(time.RFC3339, n.Profile) // a profile may have any name
		n.ProfileCreatedAt = n.ProfileCreatedAt.UTC()
	}
	n.Tainted = marked(s.Metadata, keys.Tainted)
	n.Locked, n.Fault = s.Locked, s.Fault
	n.Protected = s.Locked || marked(s.Metadata, keys.Protected)
	n.InService = openstack.ParseMark(s.Metadata[openstack.MarkKey])
	return n, nil
}

// marked tells whether metadata has a mark: a key whose value is not a way to
// say no.
func marked(metadata map[string]string, key string) bool {
	value, ok := metadata[key]
	if !ok {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}
