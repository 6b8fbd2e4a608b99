package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
)

// The page decoder that was in use before: written by hand, in one pass over
// the tokens, with no more memory than what is kept. It is here to be measured:
// [BenchmarkPage] shows what it would save.

// decoder reads pages of Nova's detailed list of servers in one pass. What is
// not asked for is checked to be JSON and skipped: a server costs the few
// strings that are its own, and a page nothing that outlives it.
//
// It takes what encoding/json takes: of a name that is there twice the last
// value counts, null is nothing, and what is no UTF-8 is replaced.
type decoder struct {
	metadata map[string]bool // keys whose values are wanted
	shared   interner
	unquoted []byte // room for a string

	json   *jsontext.Decoder
	server server
}

// newDecoder makes a decoder that reads of metadata what selectors and policies
// look at.
func newDecoder(selected map[string]string, keys Keys) *decoder {
	wanted := set([]string{keys.Profile, keys.Tainted, keys.Protected, openstack.MarkKey, openstack.DrainedKey, openstack.InServiceAtKey, openstack.NotInServiceAtKey})
	for key := range selected {
		wanted[key] = true
	}
	return &decoder{
		metadata: wanted,
		shared:   interner{seed: maphash.MakeSeed()},
		unquoted: []byte{},
		server:   server{Metadata: map[string]string{}},
	}
}

// page reads a page and hands each server to take, which must not keep it. It
// returns the id of the last one, and whether Nova says that more follow.
func (d *decoder) page(data []byte, take func(*server) error) (last string, more bool, err error) {
	// Names that repeat are allowed because to look for them costs memory.
	d.json = jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	listed := false
	err = d.object(func(name []byte) error {
		switch string(name) {
		case "servers":
			if listed {
				return errors.New("two lists of servers")
			}
			listed = d.json.PeekKind() != 'n'
			return d.array(func() error {
				if err := d.readServer(); err != nil {
					return err
				}
				last = d.server.ID
				return take(&d.server)
			})
		case "servers_links":
			more = false
			return d.array(func() error {
				var rel string
				err := d.field("rel", &rel)
				more = more || rel == "next"
				return err
			})
		}
		return d.json.SkipValue()
	})
	if err == nil {
		err = d.end()
	}
	switch {
	case err != nil:
		return "", false, fmt.Errorf("a list of servers that cannot be read: %w", err)
	case !listed:
		return "", false, errors.New("an answer without a list of servers")
	}
	return last, more, nil
}

// readServer reads one server in place of the last.
func (d *decoder) readServer() error {
	s := &d.server
	clear(s.Metadata) // the map and the slice serve all servers
	*s = server{Metadata: s.Metadata, Tags: s.Tags[:0]}
	err := d.object(func(name []byte) error {
		switch string(name) {
		case "id":
			return d.text(&s.ID)
		case "name":
			return d.text(&s.Name)
		case "created":
			return d.text(&s.Created)
		case "OS-SRV-USG:launched_at":
			return d.text(&s.Launched)
		case "status":
			return d.sharedText(&s.Status)
		case "OS-EXT-AZ:availability_zone":
			return d.sharedText(&s.Zone)
		case "hostId":
			return d.sharedText(&s.HostID)
		case "image":
			if s.Image.ID = ""; d.json.PeekKind() == '"' {
				return d.json.SkipValue()
			}
			return d.field("id", &s.Image.ID)
		case "metadata":
			return d.readMetadata()
		case "tags":
			s.Tags = s.Tags[:0]
			return d.array(func() error {
				s.Tags = append(s.Tags, "")
				return d.sharedText(&s.Tags[len(s.Tags)-1])
			})
		case "fault":
			return d.field("message", &s.Fault.Message)
		case "locked":
			return d.flag(&s.Locked)
		}
		return d.json.SkipValue()
	})
	if err == nil && (s.ID == "" || s.Status == "") {
		err = fmt.Errorf("a server without id or status: %+v", *s)
	}
	s.hidden = s.Status == "UNKNOWN" && s.Name == ""
	return err
}

func (d *decoder) readMetadata() error {
	clear(d.server.Metadata)
	return d.object(func(name []byte) error {
		if !d.metadata[string(name)] {
			return d.json.SkipValue()
		}
		key, value := d.shared.get(name), ""
		err := d.sharedText(&value)
		d.server.Metadata[key] = value
		return err
	})
}

// object reads an object, or null: value reads what has a name. The name is
// good until then.
func (d *decoder) object(value func(name []byte) error) error {
	if there, err := d.begin('{'); !there {
		return err
	}
	for d.json.PeekKind() == '"' {
		name, err := d.bytes()
		if err == nil {
			err = value(name)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken() // the brace, or an error
	return err
}

// array reads an array, or null.
func (d *decoder) array(element func() error) error {
	if there, err := d.begin('['); !there {
		return err
	}
	for kind := d.json.PeekKind(); kind != ']' && kind != jsontext.KindInvalid; kind = d.json.PeekKind() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// begin reports whether an object or array begins here, and not a null.
func (d *decoder) begin(kind jsontext.Kind) (bool, error) {
	token, err := d.json.ReadToken()
	switch {
	case err != nil:
		return false, err
	case token.Kind() == 'n':
		return false, nil
	case token.Kind() != kind:
		return false, d.unexpected(token.Kind(), kind)
	}
	return true, nil
}

// field reads an object and of it one field, a string that many objects share.
func (d *decoder) field(wanted string, into *string) error {
	return d.object(func(name []byte) error {
		if string(name) != wanted {
			return d.json.SkipValue()
		}
		return d.sharedText(into)
	})
}

// text reads a string, or null.
func (d *decoder) text(into *string) error {
	text, err := d.bytes()
	if text != nil {
		*into = string(text)
	}
	return err
}

// sharedText reads a string that other servers have too, or null.
func (d *decoder) sharedText(into *string) error {
	text, err := d.bytes()
	if text != nil {
		*into = d.shared.get(text)
	}
	return err
}

// bytes reads a string, good until the next call; null is nil.
func (d *decoder) bytes() ([]byte, error) {
	quoted, err := d.json.ReadValue()
	switch {
	case err != nil:
		return nil, err
	case quoted.Kind() == 'n':
		return nil, nil
	case quoted.Kind() != '"':
		return nil, d.unexpected(quoted.Kind(), '"')
	}
	d.unquoted, _ = jsontext.AppendUnquote(d.unquoted[:0], quoted) // it is good except for its UTF-8, which is replaced
	return d.unquoted, nil
}

// flag reads a boolean, or null.
func (d *decoder) flag(into *bool) error {
	token, err := d.json.ReadToken()
	switch {
	case err != nil:
		return err
	case token.Kind() == 't', token.Kind() == 'f':
		*into = token.Bool()
	case token.Kind() != 'n':
		return d.unexpected(token.Kind(), 't')
	}
	return nil
}

func (d *decoder) unexpected(got, want jsontext.Kind) error {
	return fmt.Errorf("%s in place of %s before offset %d", got, want, d.json.InputOffset())
}

// end makes sure that nothing follows.
func (d *decoder) end() error {
	_, err := d.json.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		err = fmt.Errorf("something follows the object, at offset %d", d.json.InputOffset())
	}
	return err
}

// interner keeps one copy of strings that come again and again. It has a fixed
// number of places: what is rare makes room, and does not pile up.
type interner struct {
	seed   maphash.Seed
	places [1024]string
}

func (t *interner) get(text []byte) string {
	place := &t.places[maphash.Bytes(t.seed, text)%uint64(len(t.places))]
	if *place != string(text) {
		*place = string(text)
	}
	return *place
}
