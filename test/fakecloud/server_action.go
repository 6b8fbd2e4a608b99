package fakecloud

import (
	"slices"
	"strings"
)

// findServer finds the server of the request. A server of another project is not found.
func (k *call) findServer() (*server, error) {
	k.region.settle(k.Cloud)
	id := k.vars[0]
	s := k.region.servers.byID[id]
	if s == nil || s.deleted || !k.token.admin() && s.ProjectID != k.token.projectID() {
		return nil, notFound("Instance %s could not be found.", id)
	}
	return s, nil
}

// mapped refuses a server that no cell has ever had. Only a few calls check that first.
func (k *call) mapped() error {
	if k.region.servers.byID[k.vars[0]] == nil {
		return notFound("Instance %s has no mapping to a cell.", k.vars[0])
	}
	return nil
}

// reachServer finds the server of a request that needs more than a look, and therefore its cell.
func (k *call) reachServer() (*server, error) {
	s, err := k.findServer()
	if err == nil && s.host.cellDown() {
		return nil, unexpected("nova.exception.NovaException")
	}
	return s, err
}

func (k *call) showServer(s *server) (reply, error) {
	if s.host.cellDown() && k.minor < 69 {
		return reply{}, unexpected("nova.exception.NovaException")
	}
	return k.serverReply(s, false), nil
}

func (k *call) updateServer(doc object) (reply, error) {
	s, err := k.reachServer()
	if err != nil {
		return reply{}, err
	}
	given, _ := sub(doc, "server")
	if name := text(given, "name"); name != "" {
		s.Name = name
	}
	if d, ok := given.get("description"); ok {
		s.Description, _ = d.(string)
	}
	s.updated = k.time()
	return k.serverReply(s, k.minor < 75), nil
}

// locked refuses changes of a locked server, except by administrators.
func (k *call) locked(s *server) error {
	if s.LockedBy != "" && !k.token.admin() {
		return conflict("Instance %s is locked", s.ID)
	}
	return nil
}

func (k *call) deleteServer(s *server) (reply, error) {
	if err := k.locked(s); err != nil {
		return reply{}, err
	}
	if s.host == nil && s.vmState == "error" { // no host has to do anything
		k.region.end(k.Cloud, s)
		k.region.servers.bury(s)
		return empty(204), nil
	}
	if s.TaskState != "deleting" {
		s.TaskState, s.updated = "deleting", k.time()
		k.region.later(k.Cloud, s, k.config.DeleteTime, func(r *region, s *server) {
			r.end(k.Cloud, s)
			r.servers.bury(s)
		})
	}
	return empty(204), nil
}

// inState refuses an action that the state of a server does not allow.
func (s *server) inState(action string, states ...string) error {
	if slices.Contains(states, s.vmState) {
		return nil
	}
	return conflict("Cannot '%s' instance %s while it is in vm_state %s", action, s.ID, s.vmState)
}

// novaActions are the actions of Nova that this package does not support.
var novaActions = strings.Fields("addFixedIp addFloatingIp addSecurityGroup changePassword createBackup createImage " +
	"evacuate forceDelete injectNetworkInfo migrate os-getConsoleOutput reboot removeFixedIp " +
	"removeFloatingIp removeSecurityGroup rescue resetNetwork restore shelveOffload " +
	"trigger_crash_dump unrescue")

// action is an action of Nova on a server. Needed parts of the request are checked before the server is looked for.
type action struct {
	schema func(minor int) *schema // nil accepts any value
	mapped bool                    // checks first whether any cell has the server
	hosted bool                    // checks whether the server has a host
	from   []string                // allowed states, without a task; nil means any
	act    func(*call, *server, any) error
	reply  func(*call, *server) reply // nil means an empty 202
}

var actions = map[string]action{
	"os-start": {mapped: true, hosted: true, from: []string{"stopped"}, act: becomes("powering-on", "active")},
	"os-stop": {mapped: true, hosted: true, from: []string{"active", "error"},
		act: (*call).stopServer},
	"lock":          {schema: lockSchema, act: (*call).lockServer},
	"unlock":        {act: (*call).unlockServer},
	"os-resetState": {schema: always(resetSchema), act: (*call).resetServer},
	"rebuild": {schema: always(rebuildSchema), from: []string{"active", "stopped", "error"},
		act: (*call).rebuildServer, reply: (*call).rebuildReply},
	"resize": {schema: always(resizeSchema), from: []string{"active", "stopped"}, act: (*call).resizeServer},
	"confirmResize": {from: []string{"resized"}, act: (*call).confirmResize,
		reply: func(*call, *server) reply { return empty(204) }},
	"revertResize": {from: []string{"resized"}, act: (*call).revertResize},
	"pause":        {hosted: true, from: []string{"active"}, act: becomes("pausing", "paused")},
	"unpause":      {hosted: true, from: []string{"paused"}, act: becomes("unpausing", "active")},
	"suspend":      {hosted: true, from: []string{"active"}, act: becomes("suspending", "suspended")},
	"resume":       {hosted: true, from: []string{"suspended"}, act: becomes("resuming", "active")},
	"shelve":       {from: []string{"active", "stopped", "paused", "suspended"}, act: (*call).shelveServer},
	"unshelve": {schema: unshelveSchema, from: []string{"shelved", "shelved_offloaded"},
		act: (*call).unshelveServer},
	"os-migrateLive": {schema: always(liveSchema), act: (*call).migrateServer},
}

func always(s *schema) func(int) *schema { return func(int) *schema { return s } }

func (k *call) actOnServer() (reply, error) {
	v, err := decode(k.record.Body)
	doc, ok := v.(object)
	if err != nil || !ok || len(doc) != 1 {
		return reply{}, badRequest("Malformed request body")
	}
	name := doc[0].key
	a, ok := actions[name]
	switch {
	case !ok && slices.Contains(novaActions, name):
		return reply{}, refuse(501, "fakecloud does not do %s", name)
	case !ok:
		return reply{}, badRequest("There is no such action: %s", name)
	case a.mapped:
		err = k.mapped()
	case a.schema != nil:
		_, err = k.body(a.schema(k.minor))
	}
	if err != nil {
		return reply{}, err
	}
	s, err := k.reachServer()
	if err == nil && a.hosted {
		err = k.hosted(s)
	}
	if err == nil && a.from != nil {
		err = k.idle(s, strings.TrimPrefix(name, "os-"), a.from...)
	}
	if err == nil {
		err = a.act(k, s, doc[0].value)
	}
	if err == nil && a.reply != nil {
		return a.reply(k, s), nil
	}
	return empty(202), err
}

// becomes is an action that only changes the state of a server.
func becomes(task, state string) func(*call, *server, any) error {
	return func(k *call, s *server, _ any) error {
		k.task(s, task, func(_ *region, s *server) { s.vmState = state })
		return nil
	}
}

// stopServer stops a server, and records the request, as Nova does for each action.
func (k *call) stopServer(s *server, _ any) error {
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
	return nil
}

func (k *call) listActions(s *server) (reply, error) {
	return jsonReply(200, object{{"instanceActions", append([]object{}, s.stops...)}}), nil
}

// hosted refuses a server without a host. If it is locked, that is the reason of the refusal.
func (k *call) hosted(s *server) error {
	switch err := k.locked(s); {
	case err != nil || s.scheduled():
		return err
	case s.vmState == "building": // not in the database of a cell yet
		return notFound("Instance %s could not be found.", s.ID)
	}
	return conflict("Instance %s is not ready", s.ID)
}

// lockSchema applies from 2.73 on; before, any value is accepted.
func lockSchema(minor int) *schema {
	if minor < 73 {
		return anything
	}
	return &schema{types: jsonObject, props: []prop{{name: "lock", schema: &schema{
		types: []string{"object", "null"}, closed: true, props: []prop{
			{name: "locked_reason", schema: &schema{types: jsonString, minSize: 1, maxSize: 255}},
		},
	}}}}
}

func (k *call) lockServer(s *server, value any) error {
	owner := s.ProjectID == k.token.projectID()
	if s.LockedBy != "" && owner {
		return nil
	}
	s.LockedBy = "admin"
	if owner {
		s.LockedBy = "owner"
	}
	if given, ok := value.(object); ok && k.minor >= 73 && text(given, "locked_reason") != "" {
		s.LockReason = text(given, "locked_reason")
	}
	s.updated = k.time()
	return nil
}

func (k *call) unlockServer(s *server, _ any) error {
	if s.LockedBy == "admin" && s.ProjectID == k.token.projectID() {
		if err := k.adminOnly("os_compute_api:os-lock-server:unlock:unlock_override"); err != nil {
			return err
		}
	}
	s.LockedBy, s.LockReason, s.updated = "", "", k.time()
	return nil
}

var resetSchema = &schema{types: jsonObject, props: []prop{{name: "os-resetState", schema: &schema{
	types: jsonObject, closed: true, props: []prop{
		{name: "state", required: true, schema: &schema{types: jsonString, enum: []any{"active", "error"}}},
	},
}}}}

func (k *call) resetServer(s *server, value any) error {
	if err := k.adminOnly("os_compute_api:os-admin-actions:reset_state"); err != nil {
		return err
	}
	s.vmState, s.TaskState, s.updated = text(value.(object), "state"), "", k.time()
	s.pending = nil
	delete(k.region.servers.pending, s)
	return nil
}
