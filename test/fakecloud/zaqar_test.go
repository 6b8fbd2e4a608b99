package fakecloud

import (
	"strings"
	"testing"
	"time"
)

// TestMessagesEnd: their time is up. What a claim does is in the contract.
func TestMessagesEnd(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	const path = "messaging /queues/q/messages"
	k.must(201, "POST "+path, `{"messages": [{"body": "short", "ttl": 60}, {"body": "long", "ttl": 600}]}`)
	c.Advance(60 * time.Second)
	if a := k.must(200, "GET "+path+"?echo=true", ""); strings.Contains(a.body, "short") || !strings.Contains(a.body, `"age": 60, "body": "long"`) {
		t.Errorf("%s", a.body)
	}
}
