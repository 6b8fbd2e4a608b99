package openstack

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

// MarkKey is the metadata key of a server that was found in service. Its value
// is the revision that the server was made from, as a decimal number. It is kept
// in Nova, because every reader of the cluster must see it.
const MarkKey = "stackpolicy_in_service"

// ParseMark reads the value of a mark. It returns 0 for a value that is no
// revision: revisions are numbered from 1.
func ParseMark(value string) int64 {
	revision, err := strconv.ParseInt(value, 10, 64)
	if err != nil || revision < 1 {
		return 0
	}
	return revision
}

// Mark notes at the server that it was found in service with a revision. Other
// metadata stays as it is. Nova refuses it with 409 while something else is
// under way with the server.
func (s Server) Mark(ctx context.Context, revision int64) error {
	value := strconv.FormatInt(revision, 10)
	set, err := servers.CreateMetadatum(ctx, s.Compute.At(1), s.ID, servers.MetadatumOpts{MarkKey: value}).Extract()
	if err == nil && set[MarkKey] != value {
		err = missing("meta")
	}
	if err != nil {
		return fmt.Errorf("region %s: mark the server %s as in service: %w", s.Compute.Region, s.ID, err)
	}
	return nil
}

// Unmark removes the mark. A server that has none, or is gone, is as it should
// be.
func (s Server) Unmark(ctx context.Context) error {
	err := servers.DeleteMetadatum(ctx, s.Compute.At(1), s.ID, MarkKey).ExtractErr()
	if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
		return fmt.Errorf("region %s: remove the mark of the server %s: %w", s.Compute.Region, s.ID, err)
	}
	return nil
}
