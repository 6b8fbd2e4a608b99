package openstack

import (
	"context"
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
