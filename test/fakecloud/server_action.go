package fakecloud

import (
	"slices"
	"strings"
)

// findServer finds the server of the request. A server of another project is not found.
func (k *call) findServer() *server {
	k.region.settle(k.Cloud)
	id := k.vars[0]
	s := k.region.servers.byID[id]
	if s == nil || s.deleted || !k.token.admin() && s.ProjectID != k.token.projectID() {
		panic(notFound("Instance %s could not be found.", id))
	}
	return s
}

// mapped refuses a server that no cell has ever had. Only a few calls check that first.
func (k *call) mapped() {
	if k.region.servers.byID[k.vars[0]] == nil {
		panic(notFound("Instance %s has no mapping to a cell.", k.vars[0]))
	}
}

// reachServer finds the server of a request that needs more than a look, and therefore its cell.
func (k *call) reachServer() *server {
	s := k.findServer()
	if s.host.cellDown() {
		panic(unexpected("nova.exception.NovaException"))
	}
	return s
}

func (k *call) showServer(s *server) reply {
	if s.host.cellDown() && k.minor < 69 {
		panic(unexpected("nova.exception.NovaException"))
	}
	return k.serverReply(s)
}

func (k *call) updateServer(doc object) reply {
	s := k.reachServer()
	given, _ := sub(doc, "server")
	if name := text(given, "name"); name != "" {
		s.Name = name
	}
	s.updated = k.time()
	return k.serverReply(s)
}

// locked refuses changes of a locked server, except by administrators.
func (k *call) locked(s *server) {
	if s.LockedBy != "" && !k.token.admin() {
		panic(conflict("Instance %s is locked", s.ID))
	}
}

func (k *call) deleteServer(s *server) reply {
	k.locked(s)
	if s.host == nil && s.vmState == "error" { // no host has to do anything
		k.region.end(k.Cloud, s)
		k.region.servers.bury(s)
		return empty(204)
	}
	if s.TaskState != "deleting" {
		s.TaskState, s.updated = "deleting", k.time()
		k.region.later(k.Cloud, s, k.config.DeleteTime, func(r *region, s *server) {
			r.end(k.Cloud, s)
			r.servers.bury(s)
		})
	}
	return empty(204)
}

// inState refuses an action that the state of a server does not allow.
func (s *server) inState(action string, states ...string) {
	if !slices.Contains(states, s.vmState) {
		panic(conflict("Cannot '%s' instance %s while it is in vm_state %s", action, s.ID, s.vmState))
	}
}

// action is an action of Nova on a server. Needed parts of the request are checked before the server is looked for.
type action struct {
	schema *schema  // nil accepts any value
	mapped bool     // checks first whether any cell has the server
	hosted bool     // checks whether the server has a host
	from   []string // allowed states, without a task; nil means any
	act    func(*call, *server, any)
	reply  func(*call, *server) reply // nil means an empty 202
}

var actions = map[string]action{
	"os-start": {mapped: true, hosted: true, from: []string{"stopped"}, act: becomes("powering-on", "active")},
	"os-stop": {mapped: true, hosted: true, from: []string{"active", "error"},
		act: (*call).stopServer},
	"lock":          {act: (*call).lockServer},
	"unlock":        {act: (*call).unlockServer},
	"os-resetState": {schema: resetSchema, act: (*call).resetServer},
	"rebuild": {schema: rebuildSchema, from: []string{"active", "stopped"},
		act: (*call).rebuildServer, reply: (*call).rebuildReply},
	"resize": {schema: resizeSchema, from: []string{"active", "stopped"}, act: (*call).resizeServer},
	"confirmResize": {from: []string{"resized"}, act: (*call).confirmResize,
		reply: func(*call, *server) reply { return empty(204) }},
	"revertResize":   {from: []string{"resized"}, act: (*call).revertResize},
	"pause":          {hosted: true, from: []string{"active"}, act: becomes("pausing", "paused")},
	"unpause":        {hosted: true, from: []string{"paused"}, act: becomes("unpausing", "active")},
	"suspend":        {hosted: true, from: []string{"active"}, act: becomes("suspending", "suspended")},
	"resume":         {hosted: true, from: []string{"suspended"}, act: becomes("resuming", "active")},
	"shelve":         {from: []string{"active", "stopped", "paused", "suspended"}, act: (*call).shelveServer},
	"unshelve":       {from: []string{"shelved", "shelved_offloaded"}, act: (*call).unshelveServer},
	"os-migrateLive": {act: (*call).migrateServer},
}

func (k *call) actOnServer() reply {
	v, err := decode(k.record.Body)
	doc, ok := v.(object)
	if err != nil || !ok || len(doc) != 1 {
		panic(badRequest("Malformed request body"))
	}
	name := doc[0].key
	a, ok := actions[name]
	switch {
	case !ok:
		panic(badRequest("There is no such action: %s", name))
	case a.mapped:
		k.mapped()
	case a.schema != nil:
		k.body(a.schema)
	}
	s := k.reachServer()
	if a.hosted {
		k.hosted(s)
	}
	if a.from != nil {
		k.idle(s, strings.TrimPrefix(name, "os-"), a.from...)
	}
	a.act(k, s, doc[0].value)
	if a.reply != nil {
		return a.reply(k, s)
	}
	return empty(202)
}

// becomes is an action that only changes the state of a server.
func becomes(task, state string) func(*call, *server, any) {
	return func(k *call, s *server, _ any) {
		k.task(s, task, func(_ *region, s *server) { s.vmState = state })
	}
}

// stopServer stops a server, and records the request, as Nova does for each action.
func (k *call) stopServer(s *server, _ any) {
	stop := object{
		{"message", nil}, {"action", "stop"}, {"instance_uuid", s.ID}, {"request_id", k.id},
		{"user_id", k.token.user.id}, {"project_id", s.ProjectID}, {"start_time", microTime(k.time())},
	}
	s.stops = append([]object{stop}, s.stops...)
	k.task(s, "powering-off", func(_ *region, s *server) {
		if s.Stuck {
			stop[0].value = "Error"
		} else {
			s.vmState = "stopped"
		}
	})
}

func (k *call) listActions(s *server) reply {
	return jsonReply(200, object{{"instanceActions", append([]object{}, s.stops...)}})
}

// hosted refuses a server without a host. If it is locked, that is the reason of the refusal.
func (k *call) hosted(s *server) {
	k.locked(s)
	switch {
	case s.scheduled():
	case s.vmState == "building": // not in the database of a cell yet
		panic(notFound("Instance %s could not be found.", s.ID))
	default:
		panic(conflict("Instance %s is not ready", s.ID))
	}
}

func (k *call) lockServer(s *server, _ any) {
	owner := s.ProjectID == k.token.projectID()
	if s.LockedBy != "" && owner {
		return
	}
	s.LockedBy = "admin"
	if owner {
		s.LockedBy = "owner"
	}
	s.updated = k.time()
}

func (k *call) unlockServer(s *server, _ any) {
	if s.LockedBy == "admin" && s.ProjectID == k.token.projectID() {
		k.adminOnly("os_compute_api:os-lock-server:unlock:unlock_override")
	}
	s.LockedBy, s.updated = "", k.time()
}

var resetSchema = wrapped("os-resetState", wrapped("state", matching(`active|error`)))

func (k *call) resetServer(s *server, value any) {
	k.adminOnly("os_compute_api:os-admin-actions:reset_state")
	s.vmState, s.TaskState, s.updated = text(value.(object), "state"), "", k.time()
	s.pending = nil
	delete(k.region.servers.pending, s)
}
