package cluster

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

// aServer is a server with all fields of Nova's microversion 2.96, as an admin gets it.
//
//go:embed testdata/server.json
var aServer string

const aFault = ` "fault": {"code": 500, "created": "2026-11-20T09:21:12Z", "message": "No valid host was found.", "details": "Traceback (most recent call ` +
	`last):\n  File \"nova/conductor/manager.py\", line 703, in build_instances\n"},`

// novaPage is a page of n servers of a large cluster, as Nova writes it. One in a hundred is broken.
func novaPage(n int, next string) []byte {
	var b strings.Builder
	b.WriteString(`{"servers": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		status, fault := "ACTIVE", ""
		if i%100 == 1 {
			status, fault = "ERROR", aFault
		}
		created := time.Date(2026, 11, 1, 0, 0, 7*i, 0, time.UTC)
		_, _ = strings.NewReplacer("<ID>", fmt.Sprintf("%08x-31e7-49b7-b260-%012x", uint32(i)*2654435761, i), "<N>", fmt.Sprint(i),
			"<STATUS>", status, "<FAULT>", fault, "<CREATED>", created.Format(time.RFC3339),
			"<HOST>", fmt.Sprintf("%08x", i%300), "<ZONE>", fmt.Sprint(1+i%3)).WriteString(&b, strings.TrimSpace(aServer))
	}
	b.WriteString("]")
	if next != "" {
		fmt.Fprintf(&b, `, "servers_links": [{"rel": "next", "href": "https://nova.example.com/v2.1/servers/detail?marker=%s"}]`, next)
	}
	b.WriteString("}")
	return []byte(b.String())
}
