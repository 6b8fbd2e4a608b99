package examples_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAccExample_loadBalancer: a node that is replaced has its member's weight
// taken, then its member, then its server, and none of it before the new node is
// in service and in the pool. There is no Octavia here: a terraform_data stands
// in for the member, with the same references, and records when it is made and
// removed.
func TestAccExample_loadBalancer(t *testing.T) {
	dir := t.TempDir()
	record := filepath.Join(dir, "calls")
	if err := os.WriteFile(filepath.Join(dir, "openstack"), []byte("#!/bin/sh\necho \"weight $*\" >>"+record+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e := start(t, "guides/behind-a-load-balancer")
	e.Env = append(e.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "TF_VAR_pool_id=pool")
	file := filepath.Join(e.Dir, "main.tf")
	text, err := os.ReadFile(file)
	member := regexp.MustCompile(`(?s)  name          = each.key\n  pool_id .*?protocol_port = 80\n`)
	config := strings.NewReplacer("openstack_lb_member_v2", "terraform_data", "grace_period    = 60", "grace_period    = 1", "stable_for = 10", "stable_for = 1",
		"    ignore_changes        = [weight] # which the hook below changes\n", "").Replace(string(text))
	provisioner := func(when, word string) string {
		return "  provisioner \"local-exec\" {\n    when    = " + when + "\n    command = \"echo " + word + " ${self.output} >>" + record + "\"\n  }\n"
	}
	config = member.ReplaceAllLiteralString(config, "  input = each.key\n"+provisioner("create", "join")+provisioner("destroy", "leave"))
	if err = errors.Join(err, os.WriteFile(file, []byte(config), 0o600)); err != nil || !strings.Contains(config, "local-exec") {
		t.Fatal(err)
	}
	e.apply(t)
	before := e.servers(t)
	if err := os.Remove(record); err != nil {
		t.Fatal(err)
	}
	e.apply(t, `candidates=["web-1"]`)
	calls, err := os.ReadFile(record)
	const want = "join web-3\nweight --os-cloud=production loadbalancer member set --weight=0 pool web-1\nleave web-1\n"
	if err != nil || string(calls) != want {
		t.Errorf("%v: got\n%swant\n%s", err, calls, want)
	}
	after := e.servers(t)
	kept(t, before, after, 3)
	if _, there := after["web-1"]; there {
		t.Errorf("left are %v", after)
	}
}
