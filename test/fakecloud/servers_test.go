package fakecloud

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestServersAreRefused: the bodies of POST /servers that Nova does not take.
func TestServersAreRefused(t *testing.T) {
	c := Start(t, Config{})
	image := c.images[0].ID
	body := func(more string) string {
		keys := map[string]string{"name": `"x"`, "flavorRef": `"m1.tiny"`, "imageRef": `"` + image + `"`, "networks": `"none"`}
		outside := ""
		for part := range strings.SplitSeq(more, "; ") {
			key, value, _ := strings.Cut(part, "=")
			switch {
			case strings.HasSuffix(key, "hints"):
				outside = `, "` + key + `": ` + value
			case value == "":
				delete(keys, key)
			default:
				keys[key] = value
			}
		}
		var list []string
		for key := range strings.FieldsSeq("name flavorRef imageRef networks availability_zone tags metadata key_name description bogus") {
			if keys[key] != "" {
				list = append(list, fmt.Sprintf("%q: %s", key, keys[key]))
			}
		}
		return `{"server": {` + strings.Join(list, ", ") + `}` + outside + `}`
	}
	const none = "11111111-1111-1111-1111-111111111111"
	var rows []fact
	for _, r := range []struct {
		who, version, more string
		status             int
		want               string
	}{
		{"member", "2.37", "networks=", 400, ""},
		{"member", "2.36", `networks="none"`, 400, ""},
		{"member", "2.79", `networks="some"`, 400, ""},
		{"member", "2.1", `networks=[{"uuid": "x"}]`, 400, "Bad networks format: network uuid is not in proper format (x)"},
		{"member", "2.79", `networks=[{"uuid": "` + none + `"}]`, 400, "Network " + none + " could not be found."},
		{"member", "2.79", `availability_zone="az-9"`, 400, `{"badRequest": {"code": 400, "message": "The requested availability zone is not available"}}`},
		{"member", "2.79", `availability_zone="nova"`, 400, "The requested availability zone is not available"},
		{"member", "2.79", `availability_zone=""`, 400, ""},
		{"member", "2.79", `availability_zone="az-1:r1-cmp-1"`, 403, "Policy doesn't allow os_compute_api:servers:create:forced_host to be performed."},
		{"admin", "2.79", `availability_zone="a:b:c:d"`, 400, "Unable to parse availability_zone"},
		{"member", "2.79", `flavorRef="m9"`, 400, "Flavor m9 could not be found."},
		{"member", "2.79", "flavorRef=", 400, ""},
		{"member", "2.79", `imageRef="x"`, 400, ""},
		{"member", "2.79", `imageRef="` + none + `"`, 400, "Can not find requested image"},
		{"member", "2.79", "imageRef=", 400, "Missing imageRef attribute"},
		{"member", "2.79", `name=""`, 400, ""},
		{"member", "2.79", `name=" x"`, 400, "is no name"},
		{"member", "2.79", "name=5", 400, ""},
		{"member", "2.79", "bogus=1", 400, ""},
		{"member", "2.51", `tags=["a"]`, 400, ""},
		{"member", "2.52", `tags=["a,b"]`, 400, ""},
		{"member", "2.52", `tags="a"`, 400, ""},
		{"member", "2.79", `metadata={"a": 1}`, 400, ""},
		{"member", "2.79", `metadata={"a/b": "1"}`, 400, ""},
		{"member", "2.18", `networks=[]; description="d"`, 400, "is not known"},
		{"member", "2.79", `key_name="k"`, 400, "Invalid key_name provided."},
		{"member", "2.79", `os:scheduler_hints={"group": "x"}`, 400, ""},
		{"member", "2.79", `os:scheduler_hints={"group": "` + none + `"}`, 400, "Instance group " + none + " could not be found."},
	} {
		rows = append(rows, fact{r.who, "POST compute /servers " + r.version, body(r.more), r.status, r.want})
	}
	facts(t, c, rows)
	if n := len(c.Servers("RegionOne")); n != 0 {
		t.Errorf("%d servers came to be", n)
	}
}

func TestServerAppearsAsNovaShowsIt(t *testing.T) {
	c := Start(t, Config{})
	member, admin := login(t, c, "member"), login(t, c, "admin")
	a := member.must(202, "POST compute /servers 2.79", fmt.Sprintf(`{"server": {"name": "One", "flavorRef": "m1.tiny", "imageRef": %q,
		"networks": "none", "availability_zone": "az-2", "tags": ["red", "blue"], "metadata": {"k": "v"}}}`, c.images[0].ID))
	made := a.object(t)["server"].(map[string]any)
	id := made["id"].(string)
	if want := c.url + "/compute/RegionOne/v2.1/servers/" + id; a.header.Get("Location") != want || len(made["adminPass"].(string)) != 12 {
		t.Errorf("created %v %v", a.header, made)
	}
	if _, ok := made["status"]; ok {
		t.Error("the answer to a creation has a status")
	}
	for _, row := range []struct {
		who         *client
		version     string
		here, never string // parts of the body
	}{
		{member, "2.1", `"flavor": {"id": "m1.tiny", "links"`, "locked"},
		{member, "2.1", `"OS-EXT-AZ:availability_zone": "az-2"`, "OS-EXT-SRV-ATTR"},
		{member, "2.1", `"status": "ACTIVE", "tenant_id": "` + MemberProjectID + `", "user_id": "` + MemberUserID + `", "metadata": {"k": "v"}`, `"tags"`},
		{member, "2.9", `"locked": false`, "locked_reason"},
		{member, "2.19", `"description": null`, `"tags"`},
		{member, "2.26", `"tags": ["blue", "red"]`, "extra_specs"},
		{member, "2.47", `"flavor": {"vcpus": 1, "ram": 64, "disk": 1, "ephemeral": 0, "swap": 0, "original_name": "m1.tiny", "extra_specs": {}}`, "trusted_image"},
		{member, "2.63", `"trusted_image_certificates": null`, "server_groups"},
		{member, "2.71", `"server_groups": []`, "locked_reason"},
		{member, "2.73", `"locked_reason": null`, "hostname"},
		{member, "2.90", `"OS-EXT-SRV-ATTR:hostname": "one"`, "host_status"},
		{admin, "2.1", `"OS-EXT-SRV-ATTR:host": "r1-cmp-3"`, "reservation_id"},
		{admin, "2.3", `"OS-EXT-SRV-ATTR:root_device_name": "/dev/sda"`, "host_status"},
		{admin, "2.16", `"host_status": "UP"`, ""},
	} {
		a := row.who.must(200, "GET compute /servers/"+id+" "+row.version, "")
		if !strings.Contains(a.body, row.here) || row.never != "" && strings.Contains(a.body, row.never) {
			t.Errorf("%s has no %s, or %s: %s", row.version, row.here, row.never, a.body)
		}
		if !strings.Contains(a.body, `"hostId": "`+c.regions["RegionOne"].hostID(MemberProjectID, "r1-cmp-3")) {
			t.Errorf("hostId: %s", a.body)
		}
	}
	// The hash of a real Nova.
	if got := c.regions["RegionOne"].hostID("4cf293a291db4c87a74c496f86d5c1ab", "r1-cmp-3"); got != "9f7053e0839eeae1a9ac3f87a386ab6da0e8c99d458c8df335422f83" {
		t.Errorf("hostId is %s", got)
	}
	if a := member.must(200, "GET compute /servers/detail 2.93", ""); strings.Contains(a.body, "server_groups") {
		t.Error("a list has server_groups")
	}
}

func TestNetworks(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	for _, row := range []struct {
		version, networks string
		address           bool
	}{
		{"2.1", "", true},
		{"2.36", `, "networks": [{"uuid": "` + NetworkID + `"}]`, true},
		{"2.37", `, "networks": "auto"`, true},
		{"2.37", `, "networks": "none"`, false},
		{"2.42", `, "networks": [{"uuid": "` + NetworkID + `", "tag": "t"}]`, true},
	} {
		k.must(202, "POST compute /servers "+row.version, fmt.Sprintf(`{"server": {"name": "x", "flavorRef": "m1.tiny", "imageRef": %q%s}}`, c.images[0].ID, row.networks))
		a := k.must(200, "GET compute /servers/detail?limit=1", "")
		if strings.Contains(a.body, `"addresses": {"shared": [{"version": 4`) != row.address || strings.Contains(a.body, "security_groups") != row.address {
			t.Errorf("%s%s: %s", row.version, row.networks, a.body)
		}
	}
}

// TestServersOfOthers: another project's server is not found, and its tags are
// forbidden.
func TestServersOfOthers(t *testing.T) {
	c := Start(t, Config{})
	admin := login(t, c, "admin")
	id := admin.server("mine", "")
	missing := `{"itemNotFound": {"code": 404, "message": "Instance ` + id + ` could not be found."}}`
	facts(t, c, []fact{
		{"member", "GET compute /servers/" + id, "", 404, missing},
		{"member", "DELETE compute /servers/" + id, "", 404, missing},
		{"member", "POST compute /servers/" + id + "/action", `{"os-stop": null}`, 404, missing},
		{"member", "GET compute /servers/" + id + "/tags 2.26", "", 403, "os_compute_api:os-server-tags:index"},
		{"member", "GET compute /servers/x", "", 404, "Instance x could not be found."},
		{"member", "DELETE compute /servers/x", "", 404, ""},
		{"member", "GET compute /servers/x/tags 2.26", "", 404, "Instance x has no mapping to a cell."},
		{"member", "GET compute /servers", "", 200, `{"servers": []}`},
		{"admin", "GET compute /servers", "", 200, id},
		{"admin", "GET two /servers/" + id, "", 404, ""},
	})
}

func TestActions(t *testing.T) {
	c := Start(t, Config{})
	member, admin := login(t, c, "member"), login(t, c, "admin")
	id := member.server("one", "")
	for _, row := range []struct {
		who    *client
		what   string // of the server
		body   string
		status int
		want   string
		then   string // the status of the server
	}{
		{member, "POST /action", `{"os-start": null}`, 409, "Cannot 'start' instance " + id + " while it is in vm_state active", "ACTIVE"},
		{member, "POST /action", `{"bogus": null}`, 400, "There is no such action: bogus", "ACTIVE"},
		{member, "POST /action", `{"migrate": null}`, 501, "", "ACTIVE"},
		{member, "POST /action", `{"os-stop": null, "os-start": null}`, 400, "Malformed request body", "ACTIVE"},
		{member, "POST /action", `{}`, 400, "Malformed request body", "ACTIVE"},
		{member, "POST /action", `{"os-stop": null}`, 202, "", "SHUTOFF"},
		{member, "POST /action", `{"os-stop": null}`, 409, "while it is in vm_state stopped", "SHUTOFF"},
		{member, "POST /action", `{"os-start": null}`, 202, "", "ACTIVE"},
		{member, "POST /action", `{"lock": null}`, 202, "", "ACTIVE"},
		{member, "POST /action", `{"os-stop": null}`, 409, "Instance " + id + " is locked", "ACTIVE"},
		{member, "DELETE ", "", 409, "is locked", "ACTIVE"},
		{member, "POST /metadata", `{"metadata": {"a": "b"}}`, 409, "is locked", "ACTIVE"},
		{member, "PUT /tags", `{"tags": ["x"]}`, 200, `{"tags": ["x"]}`, "ACTIVE"},
		{member, "PUT ", `{"server": {"name": "renamed"}}`, 200, `"name": "renamed"`, "ACTIVE"},
		{admin, "POST /action", `{"os-stop": null}`, 202, "", "SHUTOFF"},
		{admin, "POST /action", `{"os-start": null}`, 202, "", "ACTIVE"},
		{member, "POST /action", `{"unlock": null}`, 202, "", "ACTIVE"},
		{admin, "POST /action", `{"lock": {"locked_reason": "why"}}`, 202, "", "ACTIVE"},
		{member, "POST /action", `{"unlock": null}`, 403, "unlock:unlock_override", "ACTIVE"},
		{admin, "POST /action", `{"unlock": null}`, 202, "", "ACTIVE"},
		{member, "POST /action", `{"lock": {"locked_reason": ""}}`, 400, "", "ACTIVE"},
		{member, "POST /action", `{"lock": "x"}`, 400, "", "ACTIVE"},
		{member, "POST /action", `{"os-resetState": {"state": "error"}}`, 403, "os-admin-actions:reset_state", "ACTIVE"},
		{admin, "POST /action", `{"os-resetState": {"state": "bogus"}}`, 400, "", "ACTIVE"},
		{admin, "POST /action", `{"os-resetState": {"state": "error"}}`, 202, "", "ERROR"},
		{member, "POST /metadata", `{"metadata": {"a": "b"}}`, 409, "Cannot 'update metadata' instance " + id + " while it is in vm_state error", "ERROR"},
		{member, "PUT /tags", `{"tags": []}`, 409, "Cannot 'update tags'", "ERROR"},
		{member, "POST /action", `{"os-stop": null}`, 202, "", "SHUTOFF"},
		{member, "DELETE ", "", 204, "", "gone"},
		{member, "DELETE ", "", 404, "", "gone"},
	} {
		method, path, _ := strings.Cut(row.what, " ")
		a := row.who.ask(fmt.Sprintf("%s compute /servers/%s%s 2.73", method, id, path), row.body)
		if a.status != row.status || !strings.Contains(a.body, row.want) {
			t.Errorf("%s %s: %d %s, want %d %s", row.what, row.body, a.status, a.body, row.status, row.want)
		}
		then := "gone"
		if a := member.ask("GET compute /servers/"+id, ""); a.status == http.StatusOK {
			then = a.object(t)["server"].(map[string]any)["status"].(string)
		}
		if then != row.then {
			t.Errorf("%s %s: the server is %s, not %s", row.what, row.body, then, row.then)
		}
	}
}

func TestLocks(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	id := k.server("one", "")
	for _, row := range []struct{ version, body, want string }{
		{"2.73", `{"lock": {"locked_reason": "why"}}`, `"locked": true, "locked_reason": "why"`},
		{"2.73", `{"unlock": null}`, `"locked": false, "locked_reason": null`},
		{"2.72", `{"lock": {"locked_reason": "why"}}`, `"locked": true, "locked_reason": null`},
		{"2.73", `{"lock": {"locked_reason": "again"}}`, `"locked": true, "locked_reason": null`}, // locked already
	} {
		k.must(202, "POST compute /servers/"+id+"/action "+row.version, row.body)
		if a := k.must(200, "GET compute /servers/"+id+" 2.73", ""); !strings.Contains(a.body, row.want) {
			t.Errorf("%s: no %s in %s", row.body, row.want, a.body)
		}
	}
}

func TestMetadataAndTags(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	id := k.server("one", `, "metadata": {"k": "v"}`)
	for _, row := range []struct {
		what, body string
		status     int
		want       string
	}{
		{"POST /metadata", `{"metadata": {"a": "b"}}`, 200, `{"metadata": {"a": "b", "k": "v"}}`},
		{"PUT /metadata/e", `{"meta": {"e": "f"}}`, 200, `{"meta": {"e": "f"}}`},
		{"PUT /metadata/e", `{"meta": {"x": "f"}}`, 400, "Request body and URI mismatch"},
		{"PUT /metadata/e", `{"meta": {}}`, 400, ""},
		{"PUT /metadata/e", `{"meta": {"e": "f", "g": "h"}}`, 400, ""},
		{"DELETE /metadata/e", "", 204, ""},
		{"DELETE /metadata/e", "", 404, "Metadata item was not found"},
		{"POST /metadata", `{}`, 400, ""},
		{"POST /metadata", `{"metadata": {"a": null}}`, 400, ""},
		{"PUT /tags", `{"tags": ["z", "b", "a", "b"]}`, 200, `{"tags": ["a", "b", "z"]}`},
		{"GET /tags", "", 200, `{"tags": ["a", "b", "z"]}`},
		{"PUT /tags", `{"tags": ["` + strings.Repeat("x", 61) + `"]}`, 400, ""},
		{"PUT /tags", `{}`, 400, ""},
	} {
		method, path, _ := strings.Cut(row.what, " ")
		a := k.ask(fmt.Sprintf("%s compute /servers/%s%s 2.26", method, id, path), row.body)
		if a.status != row.status || !strings.Contains(a.body, row.want) {
			t.Errorf("%s %s: %d %s, want %d %s", row.what, row.body, a.status, a.body, row.status, row.want)
		}
	}
}
