package openstack

import (
	"context"
	"net/http"
	"slices"
)

// Names of this package that its external tests use.
var Invent = invent

const GoodCatalogue = goodCatalogue

// Known reports whether a request has bounds of its own kind.
func Known(ctx context.Context, method, address string) bool {
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	return err == nil && slices.ContainsFunc(kinds, func(k kind) bool { return k.path == kindOf(req).path })
}
