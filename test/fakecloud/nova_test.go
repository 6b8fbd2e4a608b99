package fakecloud

import (
	"strings"
	"testing"
)

func TestMicroversions(t *testing.T) {
	c := Start(t, Config{})
	k := login(t, c, "member")
	for _, row := range []struct {
		newer, older string // the headers
		status       int
		version      string // of the answer
		want         string
	}{
		{"", "", 200, "2.1", `{"servers": []}`},
		{"compute 2.79", "", 200, "2.79", ""},
		{"compute latest", "", 200, "2.93", ""},
		{"compute 2.10, identity 3, compute 2.20", "", 200, "2.20", ""},
		{"volume 3.0", "2.5", 200, "2.5", ""},
		{"2.5", "", 200, "2.1", ""},
		{"", "2.93", 200, "2.93", ""},
		{"compute 2.94", "", 406, "2.94", `{"computeFault": {"code": 406, "message": "Version 2.94 is not supported by the API. Minimum is 2.1 and maximum is 2.93."}}`},
		{"compute 2.0", "", 406, "2.0", "Version 2.0 is not supported"},
		{"compute 3.0", "", 406, "3.0", "Version 3.0 is not supported"},
		{"compute 2", "", 400, "", `{"badRequest": {"code": 400, "message": "API Version String 2 is of invalid format. Must be of format MajorNum.MinorNum."}}`},
		{"compute 2.01", "", 400, "", "2.01 is of invalid format"},
		{"compute LATEST", "", 400, "", "LATEST is of invalid format"},
	} {
		a := k.ask("GET compute /servers", "", "OpenStack-API-Version", row.newer, "X-OpenStack-Nova-API-Version", row.older)
		got := strings.TrimPrefix(a.header.Get("OpenStack-API-Version"), "compute ")
		if a.status != row.status || got != row.version || got != a.header.Get("X-OpenStack-Nova-API-Version") || !strings.Contains(a.body, row.want) {
			t.Errorf("%q %q: %d %s %s", row.newer, row.older, a.status, got, a.body)
		}
		if vary := strings.Join(a.header.Values("Vary"), ","); (vary == "OpenStack-API-Version,X-OpenStack-Nova-API-Version") != (row.version != "") {
			t.Errorf("%q %q: Vary %s", row.newer, row.older, vary)
		}
		if id := a.header.Get("X-Openstack-Request-Id"); !strings.HasPrefix(id, "req-") || id != a.header.Get("X-Compute-Request-Id") {
			t.Errorf("request id %s", id)
		}
	}
}

func TestOlderNova(t *testing.T) {
	c := Start(t, Config{MaxMicroversion: "2.60"})
	facts(t, c, []fact{
		{"member", "GET compute /", "", 200, `"version": "2.60", "min_version": "2.1"`},
		{"member", "GET compute /servers 2.61", "", 406, "maximum is 2.60"},
		{"member", "GET compute /servers latest", "", 200, ""},
	})
}

func TestNovaPipeline(t *testing.T) {
	c := Start(t, Config{})
	facts(t, c, []fact{
		{"nobody", "GET raw /compute/RegionOne/v2.1", "", 200, `{"version": {"id": "v2.1", "status": "CURRENT", "version": "2.93", "min_version": "2.1"`},
		{"nobody", "GET raw /compute/RegionOne/v2.1/", "", 200, `"rel": "describedby"`},
		{"nobody", "GET raw /compute/RegionOne/nope", "", 404, "knows no version"},
		{"nobody", "GET raw /compute/RegionOne", "", 404, ""},
		{"nobody", "GET raw /compute/RegionOne/v2/", "", 404, ""},
		{"nobody", "GET compute /servers", "", 401, `{"error": {"code": 401, "title": "Unauthorized"`},
		{"nobody", "GET compute /nope", "", 401, ""},
		{"member", "GET compute /nope", "", 404, `{"message": "The resource could not be found.<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}`},
		{"member", "GET compute /servers/", "", 404, `"title": "Not Found"`},
		{"member", "PUT compute /servers", "{}", 404, `"title": "Not Found"`},
		{"member", "GET raw /compute/Nowhere/v2.1/servers", "", 404, ""},
		{"member", "GET compute /servers/x/tags 2.25", "", 404, `{"itemNotFound": {"code": 404, "message": "The resource could not be found."}}`},
		{"member", "POST compute /servers", "{", 400, `{"badRequest": {"code": 400, "message": "Malformed request body"}}`},
		{"member", "POST compute /servers", "[]", 400, ""},
		{"member", "POST compute /servers", "", 400, ""},
	})
	k := login(t, c, "member")
	if a := k.ask("POST compute /servers", "<x/>", "Content-Type", "application/xml"); a.status != 415 ||
		a.body != `{"badMediaType": {"code": 415, "message": "Unsupported Content-Type"}}` {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := k.ask("GET compute /nope", "", "Accept", "*/*"); !strings.HasPrefix(a.body, "<html>") {
		t.Errorf("not HTML: %s", a.body)
	}
}

func TestMembersAreRefused(t *testing.T) {
	c := Start(t, Config{})
	rows := []fact{{"member", "PUT compute /os-quota-sets/" + MemberProjectID, `{"quota_set": {"instances": 5}}`, 403, "os-quota-sets:update"}}
	for path, rule := range map[string]string{
		"/os-hypervisors/detail":                       "os_compute_api:os-hypervisors:list-detail",
		"/os-services":                                 "os_compute_api:os-services:list",
		"/os-availability-zone/detail":                 "os_compute_api:os-availability-zone:detail",
		"/os-quota-sets/" + AdminProjectID + "/detail": "os_compute_api:os-quota-sets:detail",
	} {
		rows = append(rows,
			fact{"member", "GET compute " + path + " 2.53", "", 403, `{"forbidden": {"code": 403, "message": "Policy doesn't allow ` + rule + ` to be performed."}}`},
			fact{"admin", "GET compute " + path + " 2.53", "", 200, ""})
	}
	facts(t, c, rows)
}
