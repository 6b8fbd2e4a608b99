package roster

import (
	"time"
)

// A plan knows no time. A look at the cloud turns times into facts that change once
// and then stay: this node is too old, that one has not been in service for long
// enough. A time itself would be another one with each look, and make every saved plan
// stale.

// Aged is a node that was too old when it was seen.
type Aged struct {
	Mark     Mark      `json:"mark"` // of the node then: a node that was changed since gets another server
	Launched time.Time `json:"launched"`
}
