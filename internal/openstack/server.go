package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/text"
)

// Server is one server of a region.
type Server struct {
	Compute *Compute
	ID      string
}

// get reads the server, and the time at which Nova answered. The server is nil if it is gone.
func (s Server) get(ctx context.Context) (*servers.Server, time.Time, error) {
	result := servers.Get(ctx, s.Compute.At(versionLocked), s.ID)
	server, err := extracted(result.Extract())
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusNotFound):
		return nil, time.Time{}, nil
	case err == nil && server.Status == "":
		err = missing("status") // a server without a status must not look like a deleted one
	case err == nil && server.ID != s.ID:
		err = wrongObject(Text(server.ID))
	}
	switch {
	case err != nil:
		return nil, time.Time{}, s.failed("get the server %s", err)
	case server.Status == "DELETED" || server.Status == "SOFT_DELETED":
		return nil, time.Time{}, nil
	}
	return server, dateOf(result.Header), nil
}

// dateOf returns the time at which an answer was made, by the peer's clock. It is zero if the header is
// missing or invalid.
func dateOf(header http.Header) time.Time {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// State is the present state of a server in Nova.
type State struct {
	Status  string    // "" if the server is gone
	Task    string    // Nova's task state; "" if nothing is under way
	Locked  bool      // reports whether Nova refuses changes, except to administrators
	Mark    string    // see [MarkKey]; "" without a mark
	Drained bool      // see [DrainedKey]
	Note    string    // value of [DrainedKey]
	Late    bool      // reports whether a wait for the server ended without a mark: see [NotInServiceAtKey]
	At      time.Time // time of the answer, by Nova's clock; zero if Nova gave no time
}

// State reads the state of the server.
func (s Server) State(ctx context.Context) (State, error) {
	server, at, err := s.get(ctx)
	if server == nil {
		return State{}, err
	}
	note, drained := server.Metadata[DrainedKey]
	missed, _ := ParseFailure(server.Metadata[NotInServiceAtKey])
	return State{
		Status:  text.Clean(server.Status),
		Task:    text.Clean(server.TaskState),
		Locked:  server.Locked != nil && *server.Locked,
		Mark:    ParseMark(server.Metadata[MarkKey]),
		Drained: drained,
		Note:    note,
		Late:    missed != "",
		At:      at,
	}, nil
}

// Status returns the server's status in Nova, or "" if the server is gone.
func (s Server) Status(ctx context.Context) (string, error) {
	state, err := s.State(ctx)
	return state.Status, err
}

// Fault returns Nova's reason why the server is in ERROR. It is "" if Nova gives no reason, or the server is
// gone.
func (s Server) Fault(ctx context.Context) (string, error) {
	server, _, err := s.get(ctx)
	if server == nil {
		return "", err
	}
	return text.Clean(server.Fault.Message), nil
}

// Stop asks Nova to shut the server down.
func (s Server) Stop(ctx context.Context) error {
	return s.failed("stop the server %s", servers.Stop(ctx, s.Compute.At(1), s.ID).ExtractErr())
}

// StopFailure returns how the last stop of the server failed, in Nova's words, and the id of the request,
// under which Nova's logs have the cause. It returns "" if no stop failed.
func (s Server) StopFailure(ctx context.Context) (string, error) {
	type action struct {
		Action  Text `json:"action"`
		Message Text `json:"message"`
		Request Text `json:"request_id"`
	}
	client := s.Compute.At(1)
	address := client.ServiceURL("servers", s.ID, "os-instance-actions")
	list, err := get[[]action](ctx, client, address, "instanceActions")
	for _, a := range list { // newest first
		if a.Action == "stop" && a.Message != "" {
			return fmt.Sprintf("%q, request %s", a.Message, a.Request), nil
		}
	}
	return "", s.failed("list the actions of the server %s", err)
}

// Exists reports whether the server exists. It lists all servers of the region, once, and requests only a
// server that is not in the list.
func (s Server) Exists(ctx context.Context) (bool, error) {
	listed, err := s.Compute.listedServers(ctx)
	if err != nil {
		return false, err
	}
	if listed(s.ID) {
		return true, nil
	}
	status, err := s.Status(ctx)
	return status != "", err
}

// listedServers lists the project's servers, once, and returns a function that reports whether an id is among
// theirs.
func (c *Compute) listedServers(ctx context.Context) (func(id string) bool, error) {
	return c.listed.get(ctx, struct{}{}, func(ctx context.Context) (func(string) bool, error) {
		type server struct {
			ID Text `json:"id"`
		}
		ids := map[string]bool{}
		restart := func() {} // a server that was found before counts too
		err := items(ctx, c.At(versionDownCells), "servers", "servers", restart, func(s server) Text {
			ids[string(s.ID)] = true
			return s.ID
		})
		if err != nil && !errors.Is(err, errLostMarker) { // a server that is not in the list is requested
			return nil, fmt.Errorf("region %s: list servers: %w", c.Region, err)
		}
		return func(id string) bool { return ids[id] }, nil
	})
}

// The metadata of a server says whether it is in service, because every reader of the cluster must see that.
const (
	// MarkKey is the key of the mark of a server that was found in service. Two marks are equal or different;
	// they have no other meaning.
	MarkKey = "stackpolicy_in_service"
	// DrainedKey is the key that a server has from the beginning of its drain. Its value is the time, as RFC 3339 in
	// UTC, after "begun " while the hook runs. Such a server is not in service, whatever its mark. If only its drain
	// has begun, it may serve still, and may come back.
	DrainedKey = "stackpolicy_drained"
	// InServiceAtKey is the key of the time when the server got its mark. It is written together with the
	// mark.
	//
	// NotInServiceAtKey is the key that is written when a wait for the server ends without a mark. Its value
	// is the mark that was not set, and the time; setting a mark removes it. Times are RFC 3339 in UTC, by Nova's
	// clock.
	InServiceAtKey    = "stackpolicy_in_service_at"
	NotInServiceAtKey = "stackpolicy_not_in_service_at"
	// GenerationKey is the key under which configurations write how often the server of a node was made.
	GenerationKey = "stackpolicy_generation"
)

// MarkFormat is the format of a mark.
var MarkFormat = regexp.MustCompile(`^[0-9a-zA-Z_.-]{1,255}$`)

// ParseMark returns a valid mark unchanged, and "" for any other value.
func ParseMark(value string) string {
	if !MarkFormat.MatchString(value) {
		return ""
	}
	return value
}

// ParseGeneration returns how often a server was made, and 0 for an invalid value.
func ParseGeneration(value string) int64 {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > maxGeneration {
		return 0
	}
	return n
}

// maxGeneration is larger than any real generation.
const maxGeneration = 1_000_000_000

// ParseTime returns a time of the metadata, and the zero time for an invalid value.
func ParseTime(value string) time.Time {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// ParseFailure reads the value that [Server.NoteFailure] writes, such as "3-1f2e3d4c 2026-11-22T09:00:00Z". It returns
// zero values for an invalid one.
func ParseFailure(value string) (mark string, at time.Time) {
	mark, when, _ := strings.Cut(value, " ")
	if mark, at = ParseMark(mark), ParseTime(when); mark == "" || at.IsZero() {
		return "", time.Time{}
	}
	return mark, at
}

// Mark writes the mark of a server that was found in service. It writes the time first, if that is known, so
// that no mark is without its time. Other metadata does not change. Nova refuses the request with 409 while
// it changes the server in another way.
func (s Server) Mark(ctx context.Context, mark string, at time.Time) error {
	var err error
	if !at.IsZero() {
		err = s.setTime(ctx, InServiceAtKey, at)
	}
	if err == nil {
		err = s.set(ctx, MarkKey, mark)
	}
	return s.failed("mark the server %s as in service", err)
}

// Unmark removes the mark and its time. It succeeds if the server has no mark, or is gone.
func (s Server) Unmark(ctx context.Context) error {
	err := s.remove(ctx, MarkKey)
	if err == nil {
		err = s.remove(ctx, InServiceAtKey)
	}
	return s.failed("remove the mark of the server %s", err)
}

// NoteFailure writes that a wait for the server ended without a mark, and when.
func (s Server) NoteFailure(ctx context.Context, mark string, at time.Time) error {
	err := s.set(ctx, NotInServiceAtKey, mark+" "+at.UTC().Format(time.RFC3339))
	return s.failed("note at the server %s that it is not in service", err)
}

// ForgetFailure removes what NoteFailure wrote.
func (s Server) ForgetFailure(ctx context.Context) error {
	return s.failed("remove the note that the server %s is not in service", s.remove(ctx, NotInServiceAtKey))
}

// NoteBegun writes that the server's drain has begun. Nova refuses the request with 409 if the server is
// locked, or accepts no metadata at the moment.
func (s Server) NoteBegun(ctx context.Context, at time.Time) error {
	err := s.set(ctx, DrainedKey, begun+at.UTC().Format(time.RFC3339))
	return s.failed("note at the server %s that its drain has begun", err)
}

// NoteDrain writes that the server is drained, as NoteBegun does.
func (s Server) NoteDrain(ctx context.Context, at time.Time) error {
	return s.failed("note at the server %s that it is drained", s.setTime(ctx, DrainedKey, at))
}

// begun is before the time of a drain that has begun.
const begun = "begun "

// Begun reports whether a note says that a drain has begun and no more. Any other note, even a foreign one, says that
// the server is drained.
func Begun(note string) bool { return strings.HasPrefix(note, begun) }

// ForgetDrain removes what NoteBegun and NoteDrain wrote.
func (s Server) ForgetDrain(ctx context.Context) error {
	return s.failed("remove the note of the drain from the server %s", s.remove(ctx, DrainedKey))
}

// failed adds to an error, if there is one, what should have been done with the server.
func (s Server) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("region %s: "+what+": %w", s.Compute.Region, text.Clean(s.ID), err)
}

func (s Server) setTime(ctx context.Context, key string, at time.Time) error {
	return s.set(ctx, key, at.UTC().Format(time.RFC3339))
}

func (s Server) set(ctx context.Context, key, value string) error {
	result := servers.CreateMetadatum(ctx, s.Compute.At(1), s.ID, servers.MetadatumOpts{key: value})
	set, err := extracted(result.Extract())
	switch {
	case gophercloud.ResponseCodeIs(err, http.StatusForbidden): // Nova's message has the maximum number of entries
		if server, _, _ := s.get(ctx); server != nil {
			err = fmt.Errorf("%w; the server has %d entries of metadata and would get two more: this user may not "+
				"change metadata, or its quota (metadata_items) has no room for them", err, len(server.Metadata))
		}
	case err == nil && set[key] != value:
		err = missing("meta")
	}
	return err
}

func (s Server) remove(ctx context.Context, key string) error {
	err := servers.DeleteMetadatum(ctx, s.Compute.At(1), s.ID, key).ExtractErr()
	if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return nil
	}
	return err
}
