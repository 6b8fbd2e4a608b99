package fakecloud

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func refused(status int, title, description string) *refusal {
	return &refusal{status: status, kind: title, message: description}
}

func badMessaging(format string, args ...any) *refusal {
	return refused(400, "Invalid API request", fmt.Sprintf(format, args...))
}

func badMessagingBody(description string) *refusal {
	return refused(400, "Invalid request body", description)
}

// Zaqar's limits.
const (
	maxMessages       = 20 // in a list, a claim or a pop
	defaultMessages   = 10
	minMessageTTL     = 60
	maxMessageTTL     = 1209600
	defaultMessageTTL = 3600
	maxPostSize       = 262144
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

var queueNames = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func (k *call) serveZaqar() reply {
	if strings.Join(k.parts, "") == "" {
		return jsonReply(300, k.messagingVersions())
	}
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
	if k.parts[0] != "v2" || r == nil {
		panic(refused(404, "404 Not Found", ""))
	}
	switch id := k.header.Get("Client-ID"); {
	case id == "":
		panic(refused(400, "Missing header value", `The "`+k.release.ClientHeader+`" header is required.`))
	case !uuidPattern.MatchString(id):
		panic(refused(400, "Wrong UUID value", "Malformed hexadecimal UUID."))
	}
	if k.token.project == nil {
		panic(refused(400, "Project-Id Missing", "The header X-PROJECT-ID was missing"))
	}
	if len(k.vars) > 0 && !queueNames.MatchString(k.vars[0]) {
		panic(refused(400, "Invalid queue identification",
			"The format of the submitted queue name or project id is not valid."))
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

// number returns a reserved key of the metadata.
func (q *queue) number(key string) int {
	if q == nil {
		return 0
	}
	v, _ := q.metadata.get(key)
	n, _ := v.(number)
	i, _ := strconv.Atoi(string(n))
	return i
}

func (k *call) createQueue() reply {
	var metadata object
	if len(k.record.Body) > 0 {
		v, err := decode(k.record.Body)
		if err != nil {
			panic(badMessagingBody("Request body could not be parsed."))
		}
		var ok bool
		if metadata, ok = v.(object); !ok {
			panic(badMessagingBody("Document type not supported."))
		}
	}
	made := &queue{metadata: metadata}
	if _, ok := metadata.get("_default_message_ttl"); ok {
		if ttl := made.number("_default_message_ttl"); ttl < minMessageTTL || ttl > maxMessageTTL {
			panic(badMessaging(
				"_default_message_ttl can not exceed %d seconds, and must be at least %d seconds long.",
				maxMessageTTL, minMessageTTL,
			))
		}
	}
	location := "/v2/queues/" + k.vars[0]
	if k.queue() != nil {
		return noContent().set("Location", location)
	}
	k.makeQueue(metadata)
	return empty(201).set("Location", location)
}

func (k *call) deleteQueue() reply {
	delete(k.queues, [2]string{k.token.projectID(), k.vars[0]})
	return noContent()
}

func (k *call) listQueues() reply {
	limit := k.pageSize()
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
	links := []object{}
	if len(list) > 0 {
		href := "/v2/queues?marker=" + marker
		switch q := k.record.Query; {
		case q.Has("limit") && q.Has("marker"):
			href += fmt.Sprintf("&limit=%d", limit)
		case q.Has("limit"):
			href = fmt.Sprintf("/v2/queues?limit=%d&marker=%s", limit, marker)
		}
		links = append(links, object{{"rel", "next"}, {"href", href}})
	}
	return jsonReply(200, object{{"queues", list}, {"links", links}})
}

// pageSize reads limit.
func (k *call) pageSize() int {
	v := last(k.record.Query, "limit")
	if v == "" {
		return defaultMessages
	}
	n, err := strconv.Atoi(v)
	switch {
	case err != nil:
		panic(refused(400, "Invalid parameter", `The "limit" parameter is invalid. The value must be an integer.`))
	case n < 1 || n > maxMessages:
		and := "may not be"
		if len(k.vars) == 0 {
			and = "no"
		}
		panic(badMessaging("Limit must be at least 1 and %s greater than %d.", and, maxMessages))
	}
	return n
}

// zaqarVersions are all versions that Zaqar's API ever had.
var zaqarVersions = [][4]string{
	{"1", "DEPRECATED", "2014-9-11T17:47:05Z", "v1"},
	{"1.1", "DEPRECATED", "2016-7-29T02:22:47Z", "v1_1"},
	{"2", "CURRENT", "2014-9-24T04:06:47Z", "v2"},
}

func (k *call) messagingVersions() object {
	list := []object{}
	for _, i := range k.release.Messaging {
		v := zaqarVersions[i]
		list = append(list, object{
			{"id", v[0]}, {"status", v[1]}, {"updated", v[2]},
			{"media-types", []object{
				{{"base", "application/json"}, {"type", "application/vnd.openstack.messaging-" + v[3] + "+json"}},
			}},
			{"links", []object{{{"href", "/v" + v[0] + "/"}, {"rel", "self"}}}},
		})
	}
	return object{{"versions", list}}
}
