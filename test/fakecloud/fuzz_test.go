package fakecloud

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzServe: whatever is asked, there is an answer, and JSON is JSON.
func FuzzServe(f *testing.F) {
	server := `{"server": {"name": "a", "imageRef": "$ID", "flavorRef": "m1.tiny", "networks": "none"}, "os:scheduler_hints": {"group": "$ID"}}`
	for _, seed := range [][4]string{
		{"POST", "/compute/RegionOne/v2.1/servers", "2.79", server},
		{"POST", "/compute/RegionOne/v2.1/os-server-groups", "2.64", `{"server_group": {"name": "g", "policy": "affinity", "rules": {"max_server_per_host": 1}}}`},
		{"GET", "/compute/RegionOne/v2.1/servers/detail?name=%5Ea&tags=a,b&limit=1&marker=x", "2.93", ""},
		{"POST", "/compute/RegionOne/v2.1/servers/$ID/action", "2.73", `{"lock": {"locked_reason": "r"}}`},
		{"PUT", "/compute/RegionOne/v2.1/servers/$ID/tags", "2.26", `{"tags": ["a", "b"]}`},
		{"POST", "/compute/RegionOne/v2.1/servers/$ID/metadata", "", `{"metadata": {"k": "v"}}`},
		{"PUT", "/compute/RegionOne/v2.1/os-quota-sets/x", "2.57", `{"quota_set": {"cores": -1, "force": true}}`},
		{"PUT", "/compute/RegionTwo/v2.1/os-services/x", "2.53", `{"status": "disabled", "disabled_reason": "r"}`},
		{"GET", "/compute/RegionOne/v2.1/os-hypervisors/detail?limit=1", "2.53", ""},
		{"GET", "/compute/RegionOne/v2.1/flavors/detail?marker=m1.tiny", "2.61", ""},
		{"POST", "/identity/v3/auth/tokens", "", auth(password(`"name": "member", "domain": {"id": "default"}`, "secret"), `"system": {"all": true}`)},
		{"GET", "/identity/v3/regions", "", ""},
		{"GET", "/image/v2/images?name=cirros&limit=1&sort=name:asc", "", ""},
		{"PUT", "/messaging/v2/queues/q", "", `{"_default_message_ttl": 60}`},
		{"POST", "/messaging/v2/queues/q/messages", "", `{"messages": [{"body": 1, "ttl": 60}]}`},
		{"DELETE", "/messaging/v2/queues/q/messages?pop=1", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	c := Start(f, Config{})
	c.AddServers("RegionOne", Server{}, Server{Zone: "az-1"})
	c.AddServers("RegionTwo", Server{})
	c.SetCellDown("RegionTwo", true, "az-2")
	c.AddServerGroup("RegionOne", ServerGroup{Policy: "affinity"})
	tokens := []string{login(f, c, "member").token, login(f, c, "admin").token, ""}
	f.Fuzz(func(t *testing.T, method, target, microversion, body string) {
		ids := strings.NewReplacer("$ID", c.Servers("RegionOne")[0].ID)
		for _, token := range tokens {
			r, err := http.NewRequest(method, "http://cloud"+ids.Replace(target), strings.NewReader(ids.Replace(body)))
			if err != nil || !strings.HasPrefix(target, "/") {
				return
			}
			r.Header.Set("X-Auth-Token", token)
			r.Header.Set("X-Subject-Token", tokens[0])
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json")
			r.Header.Set("Client-ID", "3381af92-2b9e-11e3-b191-71861300734c")
			r.Header.Set("X-OpenStack-Nova-API-Version", microversion)
			w := httptest.NewRecorder()
			c.ServeHTTP(w, r)
			if w.Code < 200 || w.Code > 503 {
				t.Errorf("%s %s: %d", method, target, w.Code)
			}
			if w.Header().Get("Content-Type") == "application/json" && w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
			}
		}
		if len(c.Servers("RegionOne")) < 2 || len(c.Requests()) > 10_000 {
			c.AddServers("RegionOne", Server{}, Server{})
			c.ResetRequests()
		}
	})
}
