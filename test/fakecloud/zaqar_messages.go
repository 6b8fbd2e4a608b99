package fakecloud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

func (m *message) delayed(now time.Time) bool { return m.age(now) < m.delay }

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
	if len(k.record.Body) > maxPostSize {
		panic(badMessaging("Message collection size is too large. Max size %d", maxPostSize))
	}
	posted := k.readMessages(q)
	ids, hrefs := make([]string, len(posted)), make([]string, len(posted))
	path := "/v2/queues/" + q.name + "/messages"
	for i, m := range posted {
		m.id = k.uuid("message")
		ids[i], hrefs[i] = m.id, path+"/"+m.id
	}
	q.messages = append(q.messages, posted...)
	return jsonReply(201, object{{"resources", hrefs}}).set("Location", path+"?ids="+strings.Join(ids, ","))
}

// readMessages reads the body of a post.
func (k *call) readMessages(q *queue) []*message {
	v, err := decode(k.record.Body)
	if err != nil {
		panic(badMessagingBody("Request body could not be parsed."))
	}
	doc, _ := v.(object)
	given, ok := doc.get("messages")
	if !ok {
		panic(badMessaging("No messages were found in the request body."))
	}
	list, ok := given.([]any)
	if !ok {
		panic(badMessagingBody("Document type not supported."))
	}
	if len(list) == 0 {
		panic(badMessaging("No messages to enqueu."))
	}
	posted := make([]*message, len(list))
	for i, e := range list {
		entry, _ := e.(object)
		m := &message{
			ttl:     defaultMessageTTL,
			delay:   q.number("_default_message_delay"),
			created: k.time(),
			client:  k.header.Get("Client-ID"),
		}
		if ttl := q.number("_default_message_ttl"); ttl > 0 {
			m.ttl = ttl
		}
		if ttl, ok := entry.get("ttl"); ok {
			if !isType(ttl, "integer") {
				panic(badMessagingBody(`The value of the "ttl" field must be a int.`))
			}
			m.ttl, _ = strconv.Atoi(bare(ttl))
		}
		if m.body, ok = entry.get("body"); !ok {
			panic(badMessagingBody(`Missing "body" field.`))
		}
		if m.ttl < minMessageTTL || m.ttl > maxMessageTTL {
			panic(badMessaging(
				"The TTL for a message may not exceed %d seconds, and must be at least %d seconds long.",
				maxMessageTTL, minMessageTTL,
			))
		}
		posted[i] = m
	}
	return posted
}

// flag reads a parameter that is true or false.
func (k *call) flag(name string) bool {
	switch last(k.record.Query, name) {
	case "", "false", "False", "no":
		return false
	case "true", "True", "yes":
		return true
	}
	panic(refused(400, "Invalid parameter", fmt.Sprintf(
		"The %q parameter is invalid. The value of the parameter must be \"true\" or \"false\".", name)))
}

// listMessages leaves out the client's own messages, claimed ones and delayed ones, unless the client asks for them.
func (k *call) listMessages() reply {
	limit, echo := k.pageSize(), k.flag("echo")
	claimed, delayed := k.flag("include_claimed"), k.flag("include_delayed")
	marker := last(k.record.Query, "marker")
	list, links := []object{}, []object{}
	for _, m := range k.after(marker) {
		shown := (echo || m.client != k.header.Get("Client-ID")) && (claimed || !m.claimed(k.time())) &&
			(delayed || !m.delayed(k.time()))
		if len(list) < limit && shown {
			list = append(list, k.messageDocument(m, ""))
			marker = m.id
		}
	}
	if len(list) > 0 {
		links = append(links, object{{"rel", "next"}, {"href", k.nextMessages(marker)}})
	}
	return jsonReply(200, object{{"messages", list}, {"links", links}})
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

// nextMessages keeps the parameters in Zaqar's order.
func (k *call) nextMessages(marker string) string {
	var params []string
	for _, name := range []string{"marker", "limit", "echo", "include_claimed"} {
		if v := last(k.record.Query, name); v != "" {
			if name == "marker" {
				v = marker
			}
			params = append(params, name+"="+v)
		}
	}
	params = append(params, "include_delayed=true")
	if last(k.record.Query, "marker") == "" {
		params = append(params, "marker="+marker)
	}
	return "/v2/queues/" + k.vars[0] + "/messages?" + strings.Join(params, "&")
}

// findMessage finds a message by id; nil if it does not exist (any more).
func (k *call) findMessage(id string) *message {
	return first(k.after(""), func(m *message) bool { return m.id == id })
}

func (k *call) showMessage() reply {
	if m := k.findMessage(k.vars[1]); m != nil {
		return jsonReply(200, k.messageDocument(m, ""))
	}
	text := fmt.Sprintf("Message %s does not exist in queue %s for project %s",
		k.vars[1], k.vars[0], k.token.projectID())
	if k.queue() == nil {
		text = fmt.Sprintf("Queue %s does not exist for project %s", k.vars[0], k.token.projectID())
	}
	panic(refused(404, "Not found", text))
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

// deleteMessages deletes by ids, or removes the oldest messages and returns them.
func (k *call) deleteMessages() reply {
	ids, pop := last(k.record.Query, "ids"), last(k.record.Query, "pop")
	n, err := strconv.Atoi(pop)
	switch {
	case ids == "" && pop == "":
		panic(badMessaging(
			`The request should have either "ids" or "pop" parameter in the request, to be able to delete.`,
		))
	case ids != "" && pop != "":
		panic(badMessaging("pop and id params cannot be present together in the delete request."))
	case ids != "":
		for id := range strings.SplitSeq(ids, ",") {
			k.drop(k.findMessage(id))
		}
		return noContent()
	case err != nil || n < 1 || n > maxMessages:
		panic(badMessaging("Pop value must be at least 1 and may not be greater than %d.", maxMessages))
	}
	list := []object{}
	claim := k.uuid("claim")
	for _, m := range slices.Clone(k.after("")) {
		if len(list) < n && !m.claimed(k.time()) {
			list = append(list, object{
				{"id", m.id}, {"age", m.age(k.time())}, {"ttl", m.ttl}, {"body", m.body}, {"claim_id", claim},
				{"claim_count", 0},
			})
			k.drop(m)
		}
	}
	return jsonReply(200, object{{"messages", list}})
}

// claimMessages hides the oldest messages from others for a while. Only a client that knows the claim may delete them
// then.
func (k *call) claimMessages() reply {
	limit := k.pageSize()
	ttl, grace := 300, 60
	if len(k.record.Body) > 0 {
		v, err := decode(k.record.Body)
		doc, ok := v.(object)
		if err != nil || !ok {
			panic(badMessagingBody("Request body could not be parsed."))
		}
		if given, ok := doc.get("ttl"); ok {
			ttl, _ = strconv.Atoi(bare(given))
		}
		if given, ok := doc.get("grace"); ok {
			grace, _ = strconv.Atoi(bare(given))
		}
	}
	claim := k.uuid("claim")
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
