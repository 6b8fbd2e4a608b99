package fakecloud

import (
	"strings"
	"testing"
	"time"
)

// TestMessagesEnd: their time is up, or somebody has claimed them.
func TestMessagesEnd(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	const path = "messaging /queues/q/messages"
	k.must(201, "POST "+path, `{"messages": [{"body": "short", "ttl": 60}, {"body": "long", "ttl": 600}]}`)
	c.Advance(60 * time.Second)
	if a := k.must(200, "GET "+path+"?echo=true", ""); strings.Contains(a.body, "short") || !strings.Contains(a.body, `"age": 60, "body": "long"`) {
		t.Errorf("%s", a.body)
	}
	a := k.must(201, "POST messaging /queues/q/claims", `{"ttl": 120, "grace": 60}`)
	claimed := a.object(t)["messages"].([]any)[0].(map[string]any)
	href, id := claimed["href"].(string), claimed["id"].(string)
	if a := k.must(200, "GET "+path+"?echo=true", ""); strings.Contains(a.body, "long") {
		t.Errorf("a claimed message is shown: %s", a.body)
	}
	k.must(200, "GET "+path+"/"+id, "")
	k.must(204, "POST messaging /queues/q/claims", "")
	if a := k.must(403, "DELETE "+path+"/"+id, ""); !strings.Contains(a.body, "This message is claimed; it cannot be deleted without a valid claim ID.") {
		t.Errorf("%s", a.body)
	}
	k.must(204, "DELETE messaging "+strings.TrimPrefix(href, "/v2"), "")
}
