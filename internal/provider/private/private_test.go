package private

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"
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
	assert.Nil(t, Load[map[string]int](t.Context(), s, "a", &diags), "nothing is there")
	want := map[string]int{"x": 1, "y": 2}
	Store(t.Context(), s, "a", want, &diags)
	Store(t.Context(), s, "a", want, &diags)
	assert.Equal(t, want, Load[map[string]int](t.Context(), s, "a", &diags))
	assert.Equal(t, 1, s.writes)
	assert.Empty(t, diags)
	s.keys["a"] = "{"
	Load[map[string]int](t.Context(), s, "a", &diags)
	assert.True(t, diags.HasError(), "what cannot be read")
}
