package private

import (
	"context"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// state is a private state that counts writes.
type state struct {
	keys   map[string]string
	writes int
}

func (s *state) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return []byte(s.keys[key]), nil
}

func (s *state) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	s.keys[key], s.writes = string(value), s.writes+1
	return nil
}

// TestPrivate: a stored value is loaded again, an unchanged value is not written
// again, and an unreadable value is an error.
func TestPrivate(t *testing.T) {
	s := &state{keys: map[string]string{}}
	var diags diag.Diagnostics
	if got := Load[map[string]int](t.Context(), s, "a", &diags); got != nil {
		t.Errorf("nothing is there: %v", got)
	}
	want := map[string]int{"x": 1, "y": 2}
	Store(t.Context(), s, "a", want, &diags)
	Store(t.Context(), s, "a", want, &diags)
	if got := Load[map[string]int](t.Context(), s, "a", &diags); !maps.Equal(got, want) || s.writes != 1 || diags.HasError() {
		t.Errorf("got %v after %d writes, %v", got, s.writes, diags)
	}
	s.keys["a"] = "{"
	if Load[map[string]int](t.Context(), s, "a", &diags); !diags.HasError() {
		t.Error("what cannot be read is no error")
	}
}
