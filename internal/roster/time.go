package roster

import (
	"time"
)

// A plan has no clock. A look at the cloud turns times into facts that change once and then
// stay: one node is too old, another has not been in service for long enough. A time would
// differ with each look, and make every saved plan stale.

// Aged is a node that was too old when it was seen.
type Aged struct {
	Mark     Mark      `json:"mark"` // mark of the node then; a node that changed since gets another server
	Launched time.Time `json:"launched"`
}
