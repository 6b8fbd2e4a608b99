package fakecloud

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The fake Zaqar has what a hook, its consumer and a sweep ask for, and refuses what Zaqar refuses of the values that a
// user may choose: the life of a message and the size of a page.

func refused(status int, title, description string) *refusal {
	return &refusal{status: status, kind: title, message: description}
}

func badMessaging(format string, args ...any) *refusal {
	return refused(400, "Invalid API request", fmt.Sprintf(format, args...))
}

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
	{"DELETE", "/queues/{}/messages", 0, (*call).deleteMessages},
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
	doc := object{{"title", e.kind}}
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
		panic(refused(404, "404 Not Found", ""))
	case !uuidPattern.MatchString(k.header.Get("Client-ID")):
		panic(refused(400, "Wrong UUID value", "Malformed hexadecimal UUID."))
	case k.token.project == nil:
		panic(refused(400, "Project-Id Missing", "The header X-PROJECT-ID was missing"))
	}
	return r.serve(k)
}

// queue is a queue of a project.
type queue struct {
	name     string
	metadata object
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
func (k *call) makeQueue(metadata object) *queue {
	q := &queue{name: k.vars[0], metadata: metadata}
	k.queues[[2]string{k.token.projectID(), q.name}] = q
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

// numberIn returns a number of a document, or another one without it.
func numberIn(doc object, key string, or int) int {
	v, ok := doc.get(key)
	if !ok {
		return or
	}
	n, _ := strconv.Atoi(bare(v))
	return n
}

// document reads the body of the request.
func (k *call) document() object {
	v, _ := decode(k.record.Body)
	doc, _ := v.(object)
	return doc
}

func (k *call) createQueue() reply {
	location := "/v2/queues/" + k.vars[0]
	if k.queue() != nil {
		return noContent().set("Location", location)
	}
	k.makeQueue(k.document())
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
		panic(badMessaging("Limit must be at least 1 and %s greater than %d.", and, maxMessages))
	}
	return n
}

// message is a message in a queue.
type message struct {
	id      string
	body    any
	ttl     int // seconds
	delay   int // seconds until it is in the queue
	created time.Time
	client  string // client id of its sender
	claim   string
	until   time.Time // end of the claim
}

func (m *message) age(now time.Time) int { return int(now.Sub(m.created).Seconds()) }

func (m *message) claimed(now time.Time) bool { return m.claim != "" && now.Before(m.until) }

func (k *call) messageDocument(m *message, claim string) object {
	href := "/v2/queues/" + k.vars[0] + "/messages/" + m.id
	if claim != "" {
		href += "?claim_id=" + claim
	}
	return object{{"id", m.id}, {"href", href}, {"ttl", m.ttl}, {"age", m.age(k.time())}, {"body", m.body}}
}

func (k *call) postMessages() reply {
	q := k.queue()
	if q == nil {
		q = k.makeQueue(nil)
	}
	given, _ := k.document().get("messages")
	list, _ := given.([]any)
	if len(list) == 0 {
		panic(badMessaging("No messages were found in the request body."))
	}
	path := "/v2/queues/" + q.name + "/messages"
	var ids, hrefs []string
	for _, e := range list {
		entry, _ := e.(object)
		m := &message{created: k.time(), client: k.header.Get("Client-ID"),
			ttl:   numberIn(entry, "ttl", numberIn(q.metadata, "_default_message_ttl", 3600)),
			delay: numberIn(q.metadata, "_default_message_delay", 0)}
		if m.ttl < minMessageTTL || m.ttl > maxMessageTTL {
			panic(badMessaging("The TTL for a message may not exceed %d seconds, and must be at least %d seconds long.",
				maxMessageTTL, minMessageTTL))
		}
		m.body, _ = entry.get("body")
		m.id = k.uuid("message")
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
			(wants("include_claimed") || !m.claimed(now)) && (wants("include_delayed") || m.age(now) >= m.delay)
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

// findMessage finds a message by id; nil if it does not exist (any more).
func (k *call) findMessage(id string) *message {
	return first(k.after(""), func(m *message) bool { return m.id == id })
}

func (k *call) showMessage() reply {
	if m := k.findMessage(k.vars[1]); m != nil {
		return jsonReply(200, k.messageDocument(m, ""))
	}
	panic(refused(404, "Not found", fmt.Sprintf("Message %s does not exist in queue %s for project %s",
		k.vars[1], k.vars[0], k.token.projectID())))
}

// deleteMessage succeeds if the message does not exist.
func (k *call) deleteMessage() reply {
	m := k.findMessage(k.vars[1])
	if m != nil && m.claimed(k.time()) && m.claim != last(k.record.Query, "claim_id") {
		panic(refused(403, "Unable to delete",
			"This message is claimed; it cannot be deleted without a valid claim ID."))
	}
	k.drop(m)
	return noContent()
}

func (k *call) drop(gone *message) {
	if q := k.queue(); q != nil {
		q.messages = slices.DeleteFunc(q.messages, func(m *message) bool { return m == gone })
	}
}

func (k *call) deleteMessages() reply {
	for id := range strings.SplitSeq(last(k.record.Query, "ids"), ",") {
		k.drop(k.findMessage(id))
	}
	return noContent()
}

// claimMessages hides the oldest messages from others for a while. Only a client that knows the claim may delete them
// then.
func (k *call) claimMessages() reply {
	limit, doc, claim := k.pageSize("may not be"), k.document(), k.uuid("claim")
	ttl, grace := numberIn(doc, "ttl", 300), numberIn(doc, "grace", 60)
	list := []object{}
	for _, m := range k.after("") {
		if len(list) < limit && !m.claimed(k.time()) {
			m.claim, m.until = claim, k.time().Add(time.Duration(ttl)*time.Second)
			if m.ttl-m.age(k.time()) < ttl { // it must outlive its claim
				m.created, m.ttl = k.time(), ttl+grace
			}
			list = append(list, k.messageDocument(m, claim))
		}
	}
	if len(list) == 0 {
		return noContent()
	}
	return jsonReply(201, object{{"messages", list}}).set("Location", "/v2/queues/"+k.vars[0]+"/claims/"+claim)
}
