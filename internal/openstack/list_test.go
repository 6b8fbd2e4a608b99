package openstack

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestListSlow: a list of slow pages, each within its timeout, does not take hours.
func TestListSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newList()
		for range 30 {
			require.NoError(t, l.page())
			time.Sleep(time.Minute + time.Second)
		}
		assert.EqualError(t, l.page(), "the list does not end: its 30 pages took 30m30s")
	})
}
