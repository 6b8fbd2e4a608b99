package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// readPage reads a page of Nova's detailed list of servers, and passes each server to take, which may keep it. It
// reads addresses only if they are wanted. It returns whether Nova announces more pages. A page that breaks off, is
// no list of servers, or has a name twice in one object is an error, and never a shorter page.
func readPage(data []byte, addresses bool, take func(*server) error) (more bool, err error) {
	page := struct {
		Servers serverList `json:"servers"`
		Links   []struct {
			Rel string `json:"rel"`
		} `json:"servers_links"`
	}{Servers: serverList{take: take, addresses: addresses}}
	// Users choose names: bytes in them that are not UTF-8 are replaced.
	err = json.Unmarshal(data, &page, jsontext.AllowInvalidUTF8(true))
	switch {
	case page.Servers.err != nil:
		return false, page.Servers.err
	case err != nil:
		return false, fmt.Errorf("a list of servers that cannot be read: %w", err)
	case !page.Servers.listed:
		return false, errors.New("an answer without a list of servers")
	}
	for _, link := range page.Links {
		more = more || link.Rel == "next"
	}
	return more, nil
}

// serverList passes on one server at a time and keeps none: an answer of a few megabytes may have millions of empty
// servers, which together would take gigabytes.
type serverList struct {
	take      func(*server) error
	addresses bool // reports whether addresses are read
	listed    bool
	err       error // error of take, or about a server
}

// UnmarshalJSONFrom reads the list.
func (l *serverList) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	switch kind := decoder.PeekKind(); kind {
	case 'n':
		return decoder.SkipValue()
	case '[':
		l.listed = true
	default:
		return fmt.Errorf("%s in place of a list", kind)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != ']' {
		s := server{Addresses: addresses{wanted: l.addresses}}
		if err := json.UnmarshalDecode(decoder, &s); err != nil {
			return err
		}
		if s.ID == "" || s.Status == "" {
			l.err = fmt.Errorf("a server without id or status: %s", text.Cut(text.Clean(fmt.Sprintf("%+v", s)), 300))
			return l.err
		}
		s.hidden = s.Status == "UNKNOWN" && s.Name == ""
		if l.err = l.take(&s); l.err != nil {
			return l.err
		}
	}
	_, err := decoder.ReadToken()
	return err
}

// image is the image of a server. Nova writes "" for a server that boots from a volume, and an object for any other.
type image struct {
	ID openstack.Text `json:"id"`
}

// UnmarshalJSONFrom reads the image. A string means that there is no image.
func (i *image) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() == '"' {
		return decoder.SkipValue()
	}
	type object image // a type without this method
	return json.UnmarshalDecode(decoder, (*object)(i))
}

// addresses are the addresses of a server; the first one is asked. They are skipped unless somebody wants them,
// because most bytes of a server are addresses.
type addresses struct {
	wanted bool
	list   []string
}

// UnmarshalJSONFrom reads the addresses by network. A floating address can be reached from more places than a fixed
// one, and an IPv4 address from more places than an IPv6 address.
func (a *addresses) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if !a.wanted {
		return decoder.SkipValue()
	}
	var networks map[string][]struct {
		Address openstack.Text `json:"addr"`
		Version int            `json:"version"`
		Type    string         `json:"OS-EXT-IPS:type"`
	}
	if err := json.UnmarshalDecode(decoder, &networks); err != nil {
		return err
	}
	a.list = nil
	for _, wanted := range []struct {
		version  int
		floating bool
	}{{4, true}, {4, false}, {6, true}, {6, false}} {
		for _, network := range slices.Sorted(maps.Keys(networks)) {
			for _, at := range networks[network] {
				if at.Version == wanted.version && (at.Type == "floating") == wanted.floating && at.Address != "" {
					a.list = append(a.list, string(at.Address))
				}
			}
		}
	}
	return nil
}
