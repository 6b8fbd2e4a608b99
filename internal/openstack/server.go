package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
