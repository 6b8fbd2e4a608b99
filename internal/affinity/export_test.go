package affinity

import (
	"testing"
	"time"
)

// LookLonger removes the time limit of the look after a cancel.
func LookLonger(t *testing.T) {
	was := lookTime
	lookTime = time.Hour
	t.Cleanup(func() { lookTime = was })
}
