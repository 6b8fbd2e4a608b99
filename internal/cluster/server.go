package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/node"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// server has the fields that are read of a server in Nova's detailed list.
type server struct {
	ID       openstack.Text `json:"id"`
	Name     openstack.Text `json:"name"`
	Status   openstack.Text `json:"status"`
	Task     string         `json:"OS-EXT-STS:task_state"` // Nova's task state: compared, and never shown
	Zone     openstack.Text `json:"OS-EXT-AZ:availability_zone"`
	HostID   openstack.Text `json:"hostId"`
	Created  string         `json:"created"`
	Launched string         `json:"OS-SRV-USG:launched_at"`
	Image    image          `json:"image"`
	Flavor   struct {
		Name string `json:"original_name"`
	} `json:"flavor"`
	Metadata map[string]string `json:"metadata"` // not cleaned, because it is compared
	Tags     []string          `json:"tags"`
	Locked   bool              `json:"locked"`
	// Addresses are decoded if a query asks for them: most bytes of a server are addresses.
	Addresses json.RawMessage `json:"addresses"`
	Volumes   []struct{}      `json:"os-extended-volumes:volumes_attached"`
	Fault     struct {
		Message openstack.Text `json:"message"`
	} `json:"fault"` // why the server is in ERROR

	hidden bool // reports whether the server is in a cell that is down: little more than its id is known
}

// gone reports whether a server is deleted and only listed until Nova has removed it.
func (s *server) gone() bool { return s.Status == "DELETED" || s.Status == "SOFT_DELETED" }

// launchedFormat is Nova's format for the time of a launch, in UTC without a time zone.
const launchedFormat = "2006-01-02T15:04:05.999999999"

// node translates a server, with the time of the answer, into a node.
func (s *server) node(region string, at time.Time) (node.Node, error) {
	n := node.Node{
		ID: string(s.ID), Name: string(s.Name), Region: region, Status: shared(s.Status), HostID: shared(s.HostID),
		Deleting: s.Task == "deleting",
	}
	zone, _, _ := strings.Cut(string(s.Zone), ":") // zone:host forces a host in a zone
	n.Zone = shared(zone)
	if s.Created != "" {
		created, err := time.Parse(time.RFC3339, s.Created)
		if err != nil {
			return n, fmt.Errorf("server %s: %w", n.ID, err)
		}
		n.CreatedAt = created.UTC()
	}
	if s.Launched != "" {
		launched, err := time.Parse(launchedFormat, strings.TrimSuffix(s.Launched, "Z"))
		if err != nil {
			return n, fmt.Errorf("server %s: %w", n.ID, err)
		}
		n.LaunchedAt = launched
	}
	n.Unmade = s.Status == "ERROR" && s.Launched == ""
	n.SeenAt = at
	n.Profile, n.Flavor = shared(s.Image.ID), shared(text.Clean(s.Flavor.Name))
	n.Tainted = marked(s.Metadata, "stackpolicy_tainted")
	n.Locked, n.Fault = s.Locked, shared(s.Fault.Message)
	n.Protected = s.Locked || marked(s.Metadata, "stackpolicy_protected")
	n.InService = shared(openstack.ParseMark(s.Metadata[openstack.MarkKey]))
	n.InServiceAt = openstack.ParseTime(s.Metadata[openstack.InServiceAtKey])
	n.NotInService, n.NotInServiceAt = openstack.ParseFailure(s.Metadata[openstack.NotInServiceAtKey])
	n.Generation = openstack.ParseGeneration(s.Metadata[openstack.GenerationKey])
	if note, noted := s.Metadata[openstack.DrainedKey]; noted {
		n.Draining = openstack.Begun(note)
		n.Drained = !n.Draining
	}
	if n.Draining { // its mark is about to be removed
		n.InService, n.InServiceAt = "", time.Time{}
	}
	n.Build = s.build()
	return n, nil
}

// build returns a fingerprint of a server's image, flavor and launch. A rebuild changes image and launch, a resize
// flavor and launch. It is short because it is kept for each node of a cluster.
func (s *server) build() string {
	parts := []string{string(s.ID), string(s.Image.ID), s.Flavor.Name, s.Launched}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// shared returns one copy of a string that many nodes have.
func shared[T ~string](s T) string { return unique.Make(string(s)).Value() }

// marked reports whether metadata has a key with a value other than the negative ones, such as "false" or "0".
func marked(metadata map[string]string, key string) bool {
	value, ok := metadata[key]
	if !ok {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(value)) { // a shell may add a newline at the end
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// readPage reads a page of Nova's detailed list of servers, and passes each server to take, which may keep it. It
// returns whether Nova announces more pages. A page that breaks off, or is no list of servers, is an error, and never
// a shorter page. One server is decoded at a time, because it may take several times the memory of its text.
func readPage(data []byte, take func(*server) error) (more bool, err error) {
	unreadable := func(err error) error { return fmt.Errorf("a list of servers that cannot be read: %w", err) }
	var page struct {
		Servers openstack.Part `json:"servers"`
		Links   []struct {
			Rel string `json:"rel"`
		} `json:"servers_links"`
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return false, unreadable(err)
	}
	list := json.NewDecoder(bytes.NewReader(page.Servers))
	switch start, _ := list.Token(); start {
	case json.Delim('['):
	case nil: // there is no text, or null
		return false, errors.New("an answer without a list of servers")
	default:
		return false, unreadable(errors.New("it is another value"))
	}
	for i := 0; list.More(); i++ {
		var s server
		if err := list.Decode(&s); err != nil {
			return false, unreadable(err)
		}
		if s.ID == "" || s.Status == "" {
			return false, fmt.Errorf("a server without id or status: %q, number %d", text.Cut(string(s.ID), 100), i)
		}
		s.hidden = s.Status == "UNKNOWN" && s.Name == ""
		if err := take(&s); err != nil {
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

// attached fills in the addresses, ports and volumes of a server. A floating address can be reached from more places
// than a fixed one, and an IPv4 address from more places than an IPv6 address. The addresses of a port have one MAC.
func (s *server) attached(n *node.Node) error {
	var networks map[string][]struct {
		Address openstack.Text `json:"addr"`
		Version int            `json:"version"`
		Type    string         `json:"OS-EXT-IPS:type"`
		MAC     string         `json:"OS-EXT-IPS-MAC:mac_addr"`
	}
	n.Volumes = len(s.Volumes)
	if len(s.Addresses) == 0 {
		return nil
	}
	if err := json.Unmarshal(s.Addresses, &networks); err != nil {
		return fmt.Errorf("the addresses of the server %s: %w", s.ID, err)
	}
	ports := map[string]bool{}
	for _, wanted := range []struct {
		version  int
		floating bool
	}{{4, true}, {4, false}, {6, true}, {6, false}} {
		for _, network := range slices.Sorted(maps.Keys(networks)) {
			for _, at := range networks[network] {
				ports[at.MAC] = true
				if at.Version == wanted.version && (at.Type == "floating") == wanted.floating && at.Address != "" {
					n.Addresses = append(n.Addresses, string(at.Address))
				}
			}
		}
	}
	n.Ports = len(ports)
	return nil
}

// Selector selects the servers of a cluster: servers that match all given criteria. An empty selector selects
// nothing.
type Selector struct {
	NameRegex     string // matches anywhere in the name, unless anchored
	Metadata      map[string]string
	Tags          []string
	ServerGroupID string
	IDs           []string
	Names         []string
}

// Empty reports whether the selector has no criterion.
func (s Selector) Empty() bool {
	return s.NameRegex == "" && len(s.Metadata) == 0 && len(s.Tags) == 0 && s.ServerGroupID == "" && len(s.IDs) == 0 &&
		len(s.Names) == 0
}

// matcher is a prepared selector.
type matcher struct {
	Selector
	name    *regexp.Regexp
	ids     map[string]bool // nil means any
	names   map[string]bool // nil means any
	members map[string]bool // members of the server group; nil means any
}

func (s Selector) compile() (*matcher, error) {
	if s.Empty() {
		return nil, errors.New(
			"the selector is empty: give at least one of name_regex, metadata, tags, servergroup_id and ids",
		)
	}
	m := &matcher{Selector: s}
	if s.NameRegex != "" {
		name, err := regexp.Compile(s.NameRegex)
		if err != nil {
			return nil, fmt.Errorf("name_regex: %w", err)
		}
		m.name = name
	}
	if len(s.IDs) > 0 {
		m.ids = set(s.IDs)
	}
	if len(s.Names) > 0 {
		m.names = set(s.Names)
	}
	return m, nil
}

func set(list []string) map[string]bool {
	s := make(map[string]bool, len(list))
	for _, item := range list {
		s[item] = true
	}
	return s
}

// matches reports whether a server belongs to the cluster. Nova returns little more than the id of a server in a cell
// that is down. If that is not enough to decide, known is false.
func (m *matcher) matches(s *server) (belongs, known bool) {
	id, name := string(s.ID), string(s.Name)
	if m.ids != nil && !m.ids[id] || m.members != nil && !m.members[id] {
		return false, true
	}
	if s.hidden && (len(m.Metadata) > 0 || len(m.Tags) > 0 || name == "" && (m.name != nil || m.names != nil)) {
		return false, false
	}
	if m.name != nil && !m.name.MatchString(name) || m.names != nil && !m.names[name] {
		return false, true
	}
	for key, value := range m.Metadata {
		if got, ok := s.Metadata[key]; !ok || got != value {
			return false, true
		}
	}
	for _, tag := range m.Tags {
		if !slices.Contains(s.Tags, tag) {
			return false, true
		}
	}
	return true, true
}

// query returns the filters that Nova can apply without leaving out a server that matches. Nova's regular expressions
// belong to its database: they have another dialect than ours, and ignore case. So the query has only plain text that
// every match contains. The name next must contain it too, unless it is "".
func (m *matcher) query(next string) url.Values {
	query, part := url.Values{}, sharedText(m.Names, next)
	if m.name != nil {
		part, _ = m.name.LiteralPrefix()
	}
	if part = plain.FindString(part); part != "" {
		query.Set("name", part)
	}
	if len(m.Tags) > 0 {
		query.Set("tags", strings.Join(m.Tags, ","))
	}
	return query
}

// plain matches the text at the beginning that is not special to a database.
var plain = regexp.MustCompile(`^[A-Za-z0-9_-]*`)

// sharedText returns the text at the beginning of all names, and of next unless it is "".
func sharedText(names []string, next string) string {
	if len(names) == 0 {
		return ""
	}
	first, last := slices.Min(names), slices.Max(names)
	if next != "" {
		first, last = min(first, next), max(last, next)
	}
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return first[:n]
}
