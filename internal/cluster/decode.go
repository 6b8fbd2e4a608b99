package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// server is what is read of a server in Nova's detailed list.
type server struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Status   string            `json:"status"`
	Zone     string            `json:"OS-EXT-AZ:availability_zone"`
	HostID   string            `json:"hostId"`
	Created  string            `json:"created"`
	Image    image             `json:"image"`
	Metadata map[string]string `json:"metadata"`
	Tags     []string          `json:"tags"`
	Locked   bool              `json:"locked"`

	hidden bool // in a cell that is down: only the id and little else is known
}

// image is an object with an id, or "" for a server that boots from a volume.
type image struct {
	ID string
}

func (i *image) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return nil
	}
	var object struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(data, &object)
	i.ID = object.ID
	return err
}

// decodePage reads a page of Nova's detailed list.
func decodePage(data []byte) (servers []server, more bool, err error) {
	var page struct {
		Servers *[]server `json:"servers"`
		Links   []struct {
			Rel string `json:"rel"`
		} `json:"servers_links"`
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, false, fmt.Errorf("a list of servers that cannot be read: %w", err)
	}
	if page.Servers == nil {
		return nil, false, errors.New("an answer without a list of servers")
	}
	for i, s := range *page.Servers {
		if s.ID == "" || s.Status == "" {
			return nil, false, fmt.Errorf("a server without id or status: %+v", s)
		}
		(*page.Servers)[i].hidden = s.Status == "UNKNOWN" && s.Name == ""
	}
	for _, link := range page.Links {
		more = more || link.Rel == "next"
	}
	return *page.Servers, more, nil
}

// gone tells a server that only waits for its removal.
func (s *server) gone() bool { return s.Status == "DELETED" || s.Status == "SOFT_DELETED" }

// node translates a server into what the policies see.
func (s *server) node(region string, keys Keys) (Node, error) {
	n := Node{ID: s.ID, Name: s.Name, Region: region, Status: s.Status, HostID: s.HostID}
	n.Zone, _, _ = strings.Cut(s.Zone, ":") // zone:host forces a host, in a zone
	if s.Created != "" {
		created, err := time.Parse(time.RFC3339, s.Created)
		if err != nil {
			return n, fmt.Errorf("server %s: %w", s.ID, err)
		}
		n.CreatedAt = created.UTC()
	}
	if keys.Profile == "" {
		n.Profile = s.Image.ID
	} else {
		n.Profile = s.Metadata[keys.Profile]
		n.ProfileCreatedAt, _ = time.Parse(time.RFC3339, n.Profile) // a profile may have any name
		n.ProfileCreatedAt = n.ProfileCreatedAt.UTC()
	}
	n.Tainted = marked(s.Metadata, keys.Tainted)
	n.Protected = s.Locked || marked(s.Metadata, keys.Protected)
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
