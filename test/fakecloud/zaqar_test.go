package fakecloud

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestQueues(t *testing.T) {
	c := Start(t, Config{})
	facts(t, c, []fact{
		{"nobody", "GET raw /messaging/", "", 300, `{"id": "2", "status": "CURRENT"`},
		{"nobody", "GET messaging /queues", "", 401, unauthorizedByMiddleware},
		{"member", "GET raw /messaging/v2/queues", "", 400, `{"title": "Missing header value", "description": "The \"Client-ID\" header is required."}`},
		{"member", "GET messaging /queues", "", 200, `{"queues": [], "links": []}`},
		{"member", "PUT messaging /queues/q", "", 201, ""},
		{"member", "PUT messaging /queues/q", "", 204, ""},
		{"member", "PUT messaging /queues/r", `{"_default_message_ttl": 300, "x": "y"}`, 201, ""},
		{"member", "PUT messaging /queues/r", `{"_default_message_ttl": 10}`, 400, "_default_message_ttl can not exceed 1209600 seconds, and must be at least 60 seconds long."},
		{"member", "PUT messaging /queues/s", "[]", 400, `{"title": "Invalid request body", "description": "Document type not supported."}`},
		{"member", "PUT messaging /queues/s", "{", 400, "Request body could not be parsed."},
		{"member", "PUT messaging /queues/" + strings.Repeat("x", 65), "", 400, "Invalid queue identification"},
		{"member", "GET messaging /queues", "", 200, `{"queues": [{"name": "q", "href": "/v2/queues/q"}, {"name": "r", "href": "/v2/queues/r"}], "links": [{"rel": "next", "href": "/v2/queues?marker=r"}]}`},
		{"member", "GET messaging /queues?limit=0", "", 400, "Limit must be at least 1 and no greater than 20."},
		{"admin", "GET messaging /queues", "", 200, `{"queues": [], "links": []}`},
		{"member", "GET messaging /queues/q/stats", "", 200, `{"messages": {"claimed": 0, "free": 0, "total": 0}}`},
		{"member", "DELETE messaging /queues/q", "", 204, ""},
		{"member", "DELETE messaging /queues/q", "", 204, ""},
		{"member", "POST messaging /queues/q", "", 405, `{"title": "405 Method Not Allowed"}`},
		{"member", "GET messaging /nope", "", 404, `{"title": "404 Not Found"}`},
		{"member", "GET raw /messaging/v3/queues", "", 404, ""},
	})
	k := login(t, c, "member")
	for _, row := range []struct {
		header, value string
		status        int
	}{{"Client-ID", "x", 400}, {"Accept", "text/html", 406}} {
		if a := k.ask("GET messaging /queues", "", row.header, row.value); a.status != row.status {
			t.Errorf("%s %s: %d %s", row.header, row.value, a.status, a.body)
		}
	}
}

const unauthorizedByMiddleware = `{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}`

func TestMessages(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	const path = "messaging /queues/q/messages"
	other := []string{"Client-ID", "3381af92-2b9e-11e3-b191-71861300734d"}
	for body, want := range map[string]string{
		`{}`:                                     "No messages were found in the request body.",
		`{"messages": []}`:                       "No messages to enqueu.",
		`{"messages": {}}`:                       "Document type not supported.",
		`{"messages": [{}]}`:                     `Missing \"body\" field.`,
		`{`:                                      "Request body could not be parsed.",
		`{"messages": [{"body": 1, "ttl": 59}]}`: "The TTL for a message may not exceed 1209600 seconds, and must be at least 60 seconds long.",
		`{"messages": [{"body": 1, "ttl": "x"}]}`: `The value of the \"ttl\" field must be a int.`,
	} {
		if a := k.ask("POST "+path, body); a.status != 400 || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	a := k.must(201, "POST "+path, `{"messages": [{"body": {"a": true, "b": [1.5, null, "é"]}, "ttl": 60}, {"body": "two"}]}`)
	first, second := c.queues[[2]string{MemberProjectID, "q"}].messages[0].id, c.queues[[2]string{MemberProjectID, "q"}].messages[1].id
	if want := fmt.Sprintf(`{"resources": ["/v2/queues/q/messages/%s", "/v2/queues/q/messages/%s"]}`, first, second); a.body != want ||
		a.header.Get("Location") != "/v2/queues/q/messages?ids="+first+","+second {
		t.Errorf("%s %v", a.body, a.header)
	}
	document := fmt.Sprintf(`{"id": %[1]q, "href": "/v2/queues/q/messages/%[1]s", "ttl": 60, "age": 0, "body": {"a": true, "b": [1.5, null, "é"]}}`, first)
	for _, row := range []struct {
		what   string
		header []string
		status int
		want   string
	}{
		{"GET " + path, nil, 200, `{"messages": [], "links": []}`}, // one's own are not shown
		{"GET " + path + "?echo=true", nil, 200, document},
		{"GET " + path, other, 200, `"href": "/v2/queues/q/messages?include_delayed=true&marker=` + second + `"`},
		{"GET " + path + "?limit=1", other, 200, `{"messages": [` + document + `], "links": [{"rel": "next", "href": "/v2/queues/q/messages?limit=1&include_delayed=true&marker=` + first + `"}]}`},
		{"GET " + path + "?limit=1&marker=" + first, other, 200, `"body": "two"`},
		{"GET " + path + "?limit=21", nil, 400, "Limit must be at least 1 and may not be greater than 20."},
		{"GET " + path + "?limit=x", nil, 400, "The value must be an integer."},
		{"GET " + path + "?echo=x", nil, 400, `The value of the parameter must be \"true\" or \"false\".`},
		{"GET " + path + "/" + first, nil, 200, document},
		{"GET " + path + "/x", nil, 404, `{"title": "Not found", "description": "Message x does not exist in queue q for project ` + MemberProjectID + `"}`},
		{"GET messaging /queues/none/messages/x", nil, 404, "Queue none does not exist for project " + MemberProjectID},
		{"GET messaging /queues/none/messages", nil, 200, `{"messages": [], "links": []}`},
		{"DELETE " + path, nil, 400, `either \"ids\" or \"pop\"`},
		{"DELETE " + path + "/" + first, nil, 204, ""},
		{"DELETE " + path + "/" + first, nil, 204, ""},
		{"GET " + path + "/" + first, nil, 404, ""},
		{"DELETE " + path + "?pop=5", nil, 200, `"body": "two"`},
		{"GET " + path + "?echo=true", nil, 200, `{"messages": [], "links": []}`},
	} {
		if a := k.ask(row.what, "", row.header...); a.status != row.status || !strings.Contains(a.body, row.want) {
			t.Errorf("%s: %d %s, want %d %s", row.what, a.status, a.body, row.status, row.want)
		}
	}
}

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
	if a := k.must(200, "GET messaging /queues/q/stats", ""); !strings.Contains(a.body, `"claimed": 1, "free": 0, "total": 1`) {
		t.Errorf("%s", a.body)
	}
	k.must(204, "DELETE messaging "+strings.TrimPrefix(href, "/v2"), "")
}
