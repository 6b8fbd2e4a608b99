package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"pgregory.net/rapid"
)

// slowServer is a server as encoding/json decodes it.
type slowServer struct {
	ID       openstack.Text    `json:"id"`
	Name     openstack.Text    `json:"name"`
	Status   openstack.Text    `json:"status"`
	Zone     openstack.Text    `json:"OS-EXT-AZ:availability_zone"`
	HostID   openstack.Text    `json:"hostId"`
	Created  string            `json:"created"`
	Launched string            `json:"OS-SRV-USG:launched_at"`
	Image    slowImage         `json:"image"`
	Metadata map[string]string `json:"metadata"`
	Tags     []string          `json:"tags"`
	Locked   bool              `json:"locked"`
	Fault    slowFault         `json:"fault"`
	Flavor   struct {
		ID   string `json:"id"`
		Name string `json:"original_name"`
	} `json:"flavor"`
}

type slowFault struct{ Message openstack.Text }

func (f *slowFault) UnmarshalJSON(data []byte) error {
	var object struct {
		Message openstack.Text `json:"message"`
	}
	err := json.Unmarshal(data, &object)
	if object.Message != "" {
		f.Message = object.Message
	}
	return err
}

type slowImage struct{ ID openstack.Text }

func (i *slowImage) UnmarshalJSON(data []byte) error {
	var object struct {
		ID openstack.Text `json:"id"`
	}
	if i.ID = ""; data[0] == '"' {
		return nil
	}
	err := json.Unmarshal(data, &object)
	i.ID = object.ID
	return err
}

// decodeSlowly is [readPage] with encoding/json.
func decodeSlowly(data []byte) (servers []server, more bool, err error) {
	var page struct {
		Servers *[]slowServer `json:"servers"`
		Links   []struct {
			Rel string `json:"rel"`
		} `json:"servers_links"`
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, false, err
	}
	if page.Servers == nil {
		return nil, false, errors.New("no list")
	}
	for _, s := range *page.Servers {
		if s.ID == "" || s.Status == "" {
			return nil, false, errors.New("no id or status")
		}
		wanted := server{ID: s.ID, Name: s.Name, Status: s.Status, Zone: s.Zone, HostID: s.HostID, Created: s.Created, Launched: s.Launched,
			Image: image{s.Image.ID}, Metadata: s.Metadata, Tags: s.Tags, Locked: s.Locked, hidden: s.Status == "UNKNOWN" && s.Name == ""}
		wanted.Fault.Message = s.Fault.Message
		wanted.Flavor.ID, wanted.Flavor.Name = s.Flavor.ID, s.Flavor.Name
		servers = append(servers, wanted)
	}
	for _, link := range page.Links {
		more = more || link.Rel == "next"
	}
	return servers, more, nil
}

// drawPage draws a page with all that JSON allows, and some things that it does not.
func drawPage(t *rapid.T) []byte {
	word := rapid.SampledFrom([]string{`""`, `"web-1"`, `"ACTIVE"`, `"UNKNOWN"`, `"a\u00e9\ud83d\ude00\n\"\\\/b"`, `"\ud800"`, `"ü 日本"`, "\"\xff\"", `null`})
	other := rapid.SampledFrom([]string{`null`, `true`, `false`, `-1.5e3`, `{}`, `[]`, `[{"rel": "next"}, null]`, `{"net": [{"addr": "10.0.0.1"}]}`, `"x"`})
	object := func(names []string, value func(name string) string, fixed ...string) string {
		members := fixed
		for range rapid.IntRange(0, 8).Draw(t, "members") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, fmt.Sprintf("%q:", name)) }) {
				continue // readPage refuses a repeated name, and encoding/json accepts it
			}
			members = append(members, fmt.Sprintf("%q: %s", name, value(name)))
		}
		members = rapid.Permutation(members).Draw(t, "order")
		return "{" + strings.Join(members, " ,\n") + "}"
	}
	list := func(element func() string) string {
		elements := make([]string, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range elements {
			elements[i] = element()
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	drawText := func() string { return word.Draw(t, "text") }
	drawOther := func() string { return other.Draw(t, "other") }
	fields := []string{"id", "name", "status", "OS-EXT-AZ:availability_zone", "hostId", "created", "OS-SRV-USG:launched_at", "image", "metadata", "tags",
		"locked", "flavor", "addresses"}
	value := func(name string) string {
		switch {
		case rapid.IntRange(0, 40).Draw(t, "odd") == 0:
			return drawOther()
		case name == "image":
			return rapid.SampledFrom([]string{`""`, `null`, `{}`, `{"id": "i", "links": []}`, `{"id": null}`}).Draw(t, "image")
		case name == "metadata":
			return object([]string{"key", "other"}, func(string) string { return drawText() })
		case name == "tags":
			return list(drawText)
		case name == "locked":
			return rapid.SampledFrom([]string{`true`, `false`, `null`}).Draw(t, "locked")
		case name == "flavor", name == "addresses":
			return drawOther()
		}
		return drawText()
	}
	servers := list(func() string { return object(fields, value, `"id": "1"`, `"status": "ACTIVE"`) })
	links := rapid.SampledFrom([]string{`[]`, `null`, `[{"rel": "next", "href": "x"}]`, `[{"rel": "previous"}, {"rel": "next"}]`}).Draw(t, "links")
	page := object([]string{"other"}, func(string) string { return drawOther() }, `"servers": `+servers, `"servers_links": `+links)
	return []byte(page)
}

// damage breaks a page at one place, or returns it unchanged.
func damage(t *rapid.T, page []byte) []byte {
	at := rapid.IntRange(0, len(page)-1).Draw(t, "at")
	switch rapid.IntRange(0, 6).Draw(t, "damage") {
	case 0:
		return page[:at]
	case 1:
		return slices.Delete(page, at, at+1)
	case 2:
		return slices.Insert(page, at, []byte(rapid.SampledFrom([]string{"{", "}", "[", "]", ",", ":", `"`, `\`, "\x00", "\xff", " ", "0"}).Draw(t,
			"inserted"))...)
	case 3:
		return append(page, rapid.SampledFrom([]string{" ", "\n", "{}", "]", "x", "null"}).Draw(t, "appended")...)
	}
	return page
}

// TestDecodeAsEncodingJSON: readPage accepts and refuses the same pages as encoding/json, and reads the same values.
func TestDecodeAsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := damage(t, drawPage(t))
		want, wantMore, wantErr := decodeSlowly(data)
		got, more, err := decodePage(string(data))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s\n got %v\nwant %v", data, err, wantErr)
		}
		if err != nil {
			return
		}
		same := slices.EqualFunc(got, want, func(a, b server) bool {
			equal := maps.Equal(a.Metadata, b.Metadata) && slices.Equal(a.Tags, b.Tags)
			a.Metadata, a.Tags, b.Metadata, b.Tags = nil, nil, nil, nil
			return equal && fmt.Sprint(a) == fmt.Sprint(b)
		})
		if !same || more != wantMore {
			t.Fatalf("%s\n got %+v, %t\nwant %+v, %t", data, got, more, want, wantMore)
		}
	})
}
