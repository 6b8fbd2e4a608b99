package cluster

import (
	"fmt"
	"strings"
)

// RegionError means that a region could not be read.
type RegionError struct {
	Region string
	Err    error // names the region and the request
}

func (e *RegionError) Error() string { return e.Err.Error() }

func (e *RegionError) Unwrap() error { return e.Err }

// GroupGoneError means that all regions answered, and none has the server group of the selector.
type GroupGoneError struct {
	ID      string
	Regions []string
}

func (e *GroupGoneError) Error() string {
	return fmt.Sprintf("the server group %s is in none of the regions %s", e.ID, strings.Join(e.Regions, ", "))
}
