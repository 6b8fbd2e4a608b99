package contract

import "testing"

func TestContractZaqar(t *testing.T) { everywhere(t, contractZaqar) }

func contractZaqar(t *testing.T, c *cloud) {
	const mine = "Client-ID:3381af92-2b9e-11e3-b191-71861300734c"
	const other = "Client-ID:11111111-2b9e-11e3-b191-71861300734c"
	c.vars["queue"] = c.Prefix + "q"
	c.hold(t, []fact{
		{"nobody", "nobody GET messaging /queues", 401, are{is("error.code", "401"), header("Www-Authenticate", `Keystone uri="http.*"`)}},
		{"a client that is no UUID", "member GET messaging Client-ID:me /queues", 400,
			are{is("", `{"title": "Wrong UUID value", "description": "Malformed hexadecimal UUID."}`)}},

		{"create", `member PUT messaging /queues/$queue {"_default_message_ttl": 120}`, 201, are{header("Location", "/v2/queues/$queue"), text("")}},
		{"create it twice", `member PUT messaging /queues/$queue {"_default_message_ttl": 120}`, 204, are{header("Location", "/v2/queues/$queue")}},
		{"list", "member GET messaging /queues?limit=20&marker=$prefix", 200,
			are{includes("queues.*.name", "$queue"), includes("queues.*.href", "/v2/queues/$queue"), is("links.*.rel", `["next"]`),
				like("links.0.href", `/v2/queues\?.*marker=.*`)}},
		{"too long a list", "member GET messaging /queues?limit=21", 400,
			are{is("", `{"title": "Invalid API request", "description": "Limit must be at least 1 and no greater than 20."}`)}},

		{"post", `member POST messaging ` + mine + ` /queues/$queue/messages {"messages": [{"body": {"n": 1}, "ttl": 60}, {"body": {"n": 2}}]}`, 201,
			are{keys("", "resources"), size("resources", 2), like("resources.0", "/v2/queues/$queue/messages/[0-9a-f-]+"),
				header("Location", "/v2/queues/$queue/messages\\?ids=[0-9a-f-]+,[0-9a-f-]+")}},
		{"one's own are hidden", "member GET messaging " + mine + " /queues/$queue/messages", 200, are{is("messages", "[]"), is("links", "[]")}},
		{"except an echo", "member GET messaging " + mine + " /queues/$queue/messages?echo=true", 200,
			are{size("messages", 2), is("messages.*.body", `[{"n": 1}, {"n": 2}]`)}},
		{"others see them", "member GET messaging " + other + " /queues/$queue/messages", 200,
			are{keys("", "messages links"), keys("messages", "id href ttl age body"), is("messages.*.ttl", "[60, 120]"), is("links.*.rel", `["next"]`),
				keep("first", "messages.0.id"), keep("second", "messages.1.id")}},
		{"a page", "member GET messaging " + other + " /queues/$queue/messages?limit=1", 200,
			are{is("messages.*.id", `["$first"]`),
				like("links.0.href", `/v2/queues/$queue/messages\?limit=1&include_delayed=true&marker=.+|/v2/queues/$queue/messages\?.*marker=.+`)}},
		{"too large a page", "member GET messaging " + other + " /queues/$queue/messages?limit=21", 400,
			are{is("", `{"title": "Invalid API request", "description": "Limit must be at least 1 and may not be greater than 20."}`)}},
		{"one", "member GET messaging /queues/$queue/messages/$first", 200, are{keys("", "id href ttl age body"), is("body", `{"n": 1}`)}},
		{"an unknown one", "member GET messaging /queues/$queue/messages/$none", 404, are{is("title", `"Not found"`)}},

		{"too short a life", `member POST messaging /queues/$queue/messages {"messages": [{"body": 1, "ttl": 1}]}`, 400,
			are{is("", `{"title": "Invalid API request", "description": "The TTL for a message may not exceed 1209600 seconds, and must be at least 60 `+
				`seconds long."}`)}},
		{"no messages", `member POST messaging /queues/$queue/messages {}`, 400,
			are{is("", `{"title": "Invalid API request", "description": "No messages were found in the request body."}`)}},

		{"claim", `member POST messaging ` + other + ` /queues/$queue/claims?limit=1 {"ttl": 100, "grace": 60}`, 201,
			are{keys("", "messages"), size("messages", 1), keys("messages", "id href ttl age body"), is("messages.0.ttl", "160"),
				is("messages.0.id", `"$first"`), like("messages.0.href", `/v2/queues/$queue/messages/$first\?claim_id=.+`),
				header("Location", "/v2/queues/$queue/claims/.+"), keep("claimed", "messages.0.href")}},
		{"claimed ones are hidden", "member GET messaging " + other + " /queues/$queue/messages", 200, are{is("messages.*.id", `["$second"]`)}},
		{"and cannot be deleted", "member DELETE messaging " + other + " /queues/$queue/messages/$first", 403,
			are{is("", `{"title": "Unable to delete", "description": "This message is claimed; it cannot be deleted without a valid claim ID."}`)}},
		{"but with the claim", "member DELETE messaging-root " + other + " $claimed", 204, nil},
		{"delete", "member DELETE messaging /queues/$queue/messages/$second", 204, are{text("")}},
		{"delete twice", "member DELETE messaging /queues/$queue/messages/$second", 204, nil},
		{"nothing to claim", `member POST messaging ` + other + ` /queues/$queue/claims {"ttl": 60, "grace": 60}`, 204, nil},
		{"post to a queue that is not there", `member POST messaging /queues/${queue}y/messages {"messages": [{"body": 3, "ttl": 60}]}`, 201, nil},
		{"delete the queue", "member DELETE messaging /queues/$queue", 204, nil},
		{"delete it twice", "member DELETE messaging /queues/$queue", 204, nil},
		{"delete the other", "member DELETE messaging /queues/${queue}y", 204, nil},
	})
}
