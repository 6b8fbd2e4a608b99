package cluster

import (
	"fmt"
	"strings"
)

// RegionError says that a region could not be read.
type RegionError struct {
	Region string
	Err    error // it names the region and the request
}

func (e *RegionError) Error() string { return e.Err.Error() }

func (e *RegionError) Unwrap() error { return e.Err }

// GroupGoneError says that the server group of a selector is in none of the regions,
// all of which answered.
type GroupGoneError struct {
	ID      string
	Regions []string
}

func (e *GroupGoneError) Error() string {
	return fmt.Sprintf("the server group %s is in none of the regions %s", e.ID, strings.Join(e.Regions, ", "))
}
