// Package private keeps values in Terraform's private state, where the provider
// remembers facts about a resource that no configuration or output shows.
package private

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// Reader is the private state of a request.
type Reader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// Writer is the private state of a response.
type Writer interface {
	Reader
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Load reads the value of a key, and returns the zero value for a missing key.
func Load[T any](ctx context.Context, from Reader, key string, diags *diag.Diagnostics) T {
	var value T
	text, more := from.GetKey(ctx, key)
	diags.Append(more...)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &value); err != nil {
			diags.AddError("Unable to read the private state", err.Error())
		}
	}
	return value
}

// Store writes the value of a key, unless it is unchanged: a change of the private
// state makes saved plans stale.
func Store[T any](ctx context.Context, into Writer, key string, value T, diags *diag.Diagnostics) {
	text, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Unable to write the private state", err.Error())
		return
	}
	before, more := into.GetKey(ctx, key)
	diags.Append(more...)
	if !bytes.Equal(before, text) {
		diags.Append(into.SetKey(ctx, key, text)...)
	}
}
