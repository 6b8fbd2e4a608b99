package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// readPage reads a page of Nova's detailed list of servers, and passes each server to take, which may keep it. It
// returns whether Nova announces more pages. A page that breaks off, or is no list of servers, is an error, and never
// a shorter page.
func readPage(data []byte, take func(*server) error) (more bool, err error) {
	var page struct {
		Servers []server `json:"servers"`
		Links   []struct {
			Rel string `json:"rel"`
		} `json:"servers_links"`
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return false, fmt.Errorf("a list of servers that cannot be read: %w", err)
	}
	if page.Servers == nil {
		return false, errors.New("an answer without a list of servers")
	}
	for i := range page.Servers {
		s := &page.Servers[i]
		if s.ID == "" || s.Status == "" {
			return false, fmt.Errorf("a server without id or status: %q, number %d", text.Cut(string(s.ID), 100), i)
		}
		s.hidden = s.Status == "UNKNOWN" && s.Name == ""
		if err := take(s); err != nil {
			return false, err
		}
	}
	for _, link := range page.Links {
		more = more || link.Rel == "next"
	}
	return more, nil
}

// image is the image of a server. Nova writes "" for a server that boots from a volume, and an object for any other.
type image struct {
	ID openstack.Text `json:"id"`
}

// UnmarshalJSON reads the image. A string means that there is no image.
func (i *image) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return nil
	}
	type object image // a type without this method
	return json.Unmarshal(data, (*object)(i))
}

// addresses returns the addresses of a server; the first one is asked. A floating address can be reached from more
// places than a fixed one, and an IPv4 address from more places than an IPv6 address.
func (s *server) addresses() (list []string, err error) {
	var networks map[string][]struct {
		Address openstack.Text `json:"addr"`
		Version int            `json:"version"`
		Type    string         `json:"OS-EXT-IPS:type"`
	}
	if len(s.Addresses) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(s.Addresses, &networks); err != nil {
		return nil, fmt.Errorf("the addresses of the server %s: %w", s.ID, err)
	}
	for _, wanted := range []struct {
		version  int
		floating bool
	}{{4, true}, {4, false}, {6, true}, {6, false}} {
		for _, network := range slices.Sorted(maps.Keys(networks)) {
			for _, at := range networks[network] {
				if at.Version == wanted.version && (at.Type == "floating") == wanted.floating && at.Address != "" {
					list = append(list, string(at.Address))
				}
			}
		}
	}
	return list, nil
}
