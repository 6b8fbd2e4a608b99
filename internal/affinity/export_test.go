package affinity

import (
	"testing"
	"time"
)

// LookLonger lets the look after a cancel take as long as it wants.
func LookLonger(t *testing.T) {
	was := lookTime
	lookTime = time.Hour
	t.Cleanup(func() { lookTime = was })
}
