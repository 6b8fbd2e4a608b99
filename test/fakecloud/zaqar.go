package fakecloud

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The fake Zaqar has what a hook, its consumer and a sweep ask for, and refuses what Zaqar refuses of the values that a
// user may choose: the life of a message and the size of a page.

// Zaqar's limits.
const (
	maxMessages     = 20 // in a list or a claim
	defaultMessages = 10
	minMessageTTL   = 60
	maxMessageTTL   = 1209600
)

var zaqarRoutes = []route{
	{"GET", "/queues", 0, (*call).listQueues},
	{"PUT", "/queues/{}", 0, (*call).createQueue},
	{"DELETE", "/queues/{}", 0, (*call).deleteQueue},
	{"POST", "/queues/{}/claims", 0, (*call).claimMessages},
	{"GET", "/queues/{}/messages", 0, (*call).listMessages},
	{"POST", "/queues/{}/messages", 0, (*call).postMessages},
	{"GET", "/queues/{}/messages/{}", 0, (*call).showMessage},
	{"DELETE", "/queues/{}/messages/{}", 0, (*call).deleteMessage},
}

func (k *call) serveZaqar() reply {
	if k.token = k.validToken(k.record.Token); k.token == nil {
		return k.unauthorized()
	}
	return refusable(k.askZaqar, zaqarReply)
}

func zaqarReply(e *refusal) reply {
	doc := object{{"title", cmp.Or(e.kind, "Invalid API request")}}
	if e.message != "" {
		doc = append(doc, field{"description", e.message})
	}
	return jsonReply(e.status, doc).set("Vary", "Accept")
}

// askZaqar goes through Zaqar's hooks in their order.
func (k *call) askZaqar() reply {
	r, _ := k.find(zaqarRoutes, k.parts[1:])
	switch {
	case k.parts[0] != "v2" || r == nil:
		panic(&refusal{status: 404, kind: "404 Not Found"})
	case !uuidPattern.MatchString(k.header.Get("Client-ID")):
		panic(&refusal{status: 400, kind: "Wrong UUID value", message: "Malformed hexadecimal UUID."})
	case k.token.project == nil:
		panic(&refusal{status: 400, kind: "Project-Id Missing", message: "The header X-PROJECT-ID was missing"})
	}
	return r.serve(k)
}

// queue is a queue of a project.
type queue struct {
	TTL      int        `json:"_default_message_ttl"`
	Delay    int        `json:"_default_message_delay"`
	messages []*message // oldest first
}

// queue finds the queue of the request, without expired messages.
func (k *call) queue() *queue {
	q := k.queues[[2]string{k.token.projectID(), k.vars[0]}]
	if q != nil {
		q.messages = slices.DeleteFunc(q.messages, func(m *message) bool { return m.age(k.time()) >= m.ttl })
	}
	return q
}

// makeQueue makes the queue of the request; posting to a missing queue does that too.
func (k *call) makeQueue() *queue {
	q := &queue{TTL: 3600}
	k.queues[[2]string{k.token.projectID(), k.vars[0]}] = q
	return q
}

// TakeMessages removes all messages from a project's queue, as a consumer does that is done with them, and returns
// how many there were.
func (c *Cloud) TakeMessages(projectID, name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.queues[[2]string{projectID, name}]
	if q == nil {
		return 0
	}
	n := len(q.messages)
	q.messages = nil
	return n
}

// given reads the body of the request into a value. A body that is missing or wrong leaves the value as it is.
func given[T any](k *call, value T) T {
	_ = json.Unmarshal(k.record.Body, &value)
	return value
}

func (k *call) createQueue() reply {
	location := "/v2/queues/" + k.vars[0]
	if k.queue() != nil {
		return noContent().set("Location", location)
	}
	*k.makeQueue() = given(k, queue{TTL: 3600})
	return empty(201).set("Location", location)
}

func (k *call) deleteQueue() reply {
	delete(k.queues, [2]string{k.token.projectID(), k.vars[0]})
	return noContent()
}

func (k *call) listQueues() reply {
	limit := k.pageSize("no")
	marker := last(k.record.Query, "marker")
	var names []string
	for key := range k.queues {
		if key[0] == k.token.projectID() && key[1] > marker {
			names = append(names, key[1])
		}
	}
	slices.Sort(names)
	list := []object{}
	for _, name := range names[:min(limit, len(names))] {
		list = append(list, object{{"name", name}, {"href", "/v2/queues/" + name}})
		marker = name
	}
	return k.page("queues", "/v2/queues", marker, list)
}

// page is a page of a list, which has a link to the next one unless it is empty.
func (k *call) page(name, path, marker string, list []object) reply {
	links := []object{}
	if len(list) > 0 {
		query := maps.Clone(k.record.Query)
		query.Set("marker", marker)
		links = append(links, object{{"rel", "next"}, {"href", path + "?" + query.Encode()}})
	}
	return jsonReply(200, object{{name, list}, {"links", links}})
}

// pageSize reads limit.
func (k *call) pageSize(and string) int {
	v := last(k.record.Query, "limit")
	if v == "" {
		return defaultMessages
	}
	n, _ := strconv.Atoi(v)
	if n < 1 || n > maxMessages {
		panic(badRequest("Limit must be at least 1 and %s greater than %d.", and, maxMessages))
	}
	return n
}

// message is a message in a queue.
type message struct {
	id      string
	body    json.RawMessage
	ttl     int // seconds
	created time.Time
	shown   time.Time // time when it is in the queue
	client  string    // client id of its sender
	claim   string
	until   time.Time // end of the claim
}

func (m *message) age(now time.Time) int { return int(now.Sub(m.created).Seconds()) }

func (m *message) claimed(now time.Time) bool { return now.Before(m.until) }

func (k *call) messageDocument(m *message, query string) object {
	return object{
		{"id", m.id}, {"href", "/v2/queues/" + k.vars[0] + "/messages/" + m.id + query}, {"ttl", m.ttl},
		{"age", m.age(k.time())}, {"body", m.body},
	}
}

func (k *call) postMessages() reply {
	q := k.queue()
	if q == nil {
		q = k.makeQueue()
	}
	type entry struct {
		TTL  int
		Body json.RawMessage
	}
	posted := given(k, struct{ Messages []entry }{})
	if len(posted.Messages) == 0 {
		panic(badRequest("No messages were found in the request body."))
	}
	path := "/v2/queues/" + k.vars[0] + "/messages"
	var ids, hrefs []string
	for _, p := range posted.Messages {
		m := &message{
			id: k.uuid("message"), body: p.Body, ttl: cmp.Or(p.TTL, q.TTL), created: k.time(),
			shown: k.time().Add(time.Duration(q.Delay) * time.Second), client: k.header.Get("Client-ID"),
		}
		if m.ttl < minMessageTTL || m.ttl > maxMessageTTL {
			panic(badRequest("The TTL for a message may not exceed %d seconds, and must be at least %d seconds long.",
				maxMessageTTL, minMessageTTL))
		}
		ids, hrefs = append(ids, m.id), append(hrefs, path+"/"+m.id)
		q.messages = append(q.messages, m)
	}
	return jsonReply(201, object{{"resources", hrefs}}).set("Location", path+"?ids="+strings.Join(ids, ","))
}

// listMessages leaves out the client's own messages, claimed ones and delayed ones, unless the client asks for them.
func (k *call) listMessages() reply {
	wants := func(flag string) bool { return last(k.record.Query, flag) == "true" }
	limit, marker, now := k.pageSize("may not be"), last(k.record.Query, "marker"), k.time()
	list := []object{}
	for _, m := range k.after(marker) {
		shown := (wants("echo") || m.client != k.header.Get("Client-ID")) &&
			(wants("include_claimed") || !m.claimed(now)) && (wants("include_delayed") || !now.Before(m.shown))
		if len(list) < limit && shown {
			list = append(list, k.messageDocument(m, ""))
			marker = m.id
		}
	}
	return k.page("messages", "/v2/queues/"+k.vars[0]+"/messages", marker, list)
}

// after lists the messages after a marker, or all if there is no such message.
func (k *call) after(marker string) []*message {
	q := k.queue()
	if q == nil {
		return nil
	}
	i := slices.IndexFunc(q.messages, func(m *message) bool { return m.id == marker })
	return q.messages[i+1:]
}

// message finds the message of the request; nil if it does not exist (any more).
func (k *call) message() *message {
	return first(k.after(""), func(m *message) bool { return m.id == k.vars[1] })
}

func (k *call) showMessage() reply {
	if m := k.message(); m != nil {
		return jsonReply(200, k.messageDocument(m, ""))
	}
	panic(&refusal{status: 404, kind: "Not found", message: fmt.Sprintf(
		"Message %s does not exist in queue %s for project %s", k.vars[1], k.vars[0], k.token.projectID())})
}

// deleteMessage succeeds if the message does not exist.
func (k *call) deleteMessage() reply {
	if m := k.message(); m != nil {
		if m.claimed(k.time()) && m.claim != last(k.record.Query, "claim_id") {
			panic(&refusal{status: 403, kind: "Unable to delete",
				message: "This message is claimed; it cannot be deleted without a valid claim ID."})
		}
		m.ttl = 0 // so it has expired
	}
	return noContent()
}

// claimMessages hides the oldest messages from others for a while. Only a client that knows the claim may delete them
// then.
func (k *call) claimMessages() reply {
	limit, claim := k.pageSize("may not be"), k.uuid("claim")
	asked := given(k, struct{ TTL, Grace int }{300, 60})
	list := []object{}
	for _, m := range k.after("") {
		if len(list) < limit && !m.claimed(k.time()) {
			m.claim, m.until = claim, k.time().Add(time.Duration(asked.TTL)*time.Second)
			if m.ttl-m.age(k.time()) < asked.TTL { // it must outlive its claim
				m.created, m.ttl = k.time(), asked.TTL+asked.Grace
			}
			list = append(list, k.messageDocument(m, "?claim_id="+claim))
		}
	}
	if len(list) == 0 {
		return noContent()
	}
	return jsonReply(201, object{{"messages", list}}).set("Location", "/v2/queues/"+k.vars[0]+"/claims/"+claim)
}
