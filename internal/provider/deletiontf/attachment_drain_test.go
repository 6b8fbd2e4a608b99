package deletiontf_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/messaging/v2/queues"
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/openstack"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
	"github.com/stackpolicy/terraform-provider-stackpolicy/test/fakecloud"
)

// TestDeletionAttachment_warns: the plan warns of all servers that it drains, and
// counts them, and of none where nothing is drained. It refuses to drain servers
// that have another attachment after it, as where a block was renamed.
func TestDeletionAttachment_warns(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	const way = "shutdown = true\n  grace_period = 1"
	config := drained(c, "RegionOne", 12, way)
	alone := drainable(c, "RegionOne", 12, "")
	renamed := alone + drains("web", "RegionOne", way)
	const forgotten = "removed {\n  from = stackpolicy_deletion_attachment.node\n  lifecycle {\n    destroy = false\n  }\n}\n"
	const moved = "moved {\n  from = stackpolicy_deletion_attachment.node\n  to = stackpolicy_deletion_attachment.web\n}\n"
	w := c.Workspace(t, config)
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	// On a busy machine there may be several warnings. Each counts all so far.
	warning := regexp.MustCompile(`Warning: (\d+) servers? will be drained\n`)
	refusal := regexp.MustCompile(`Error: Servers that stay would be drained\n(?:.*\n)*?\D*deletion attachment of (\d+)`)
	counts := func(of *regexp.Regexp, text string) (most, sum int) {
		for _, found := range of.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(found[1])
			if err != nil {
				t.Error(err)
			}
			most, sum = max(most, n), sum+n
		}
		return most, sum
	}
	for _, step := range []struct {
		name, config    string
		warned, refused int
	}{
		{"as it was", config, 0, 0},
		{"changed", drained(c, "RegionOne", 12, "grace_period = 2"), 0, 0},
		{"one node leaves", drained(c, "RegionOne", 11, way), 1, 0},
		{"some nodes leave", drained(c, "RegionOne", 5, way), 7, 0},
		{"renamed", renamed, 0, 12},
		{"renamed, and moved", renamed + moved, 0, 0},
		{"renamed, and forgotten", renamed + forgotten, 0, 0},
		{"attachments removed", alone, 12, 0},
		{"attachments forgotten", alone + forgotten, 0, 0},
		{"servers replaced", drainable(c, "RegionOne", 12, `user_data = "new"`) + drains("node", "RegionOne", way), 12, 0},
	} {
		if err := w.Write(step.config); err != nil {
			t.Fatal(err)
		}
		text, err := w.Run(t.Context(), "plan", "-no-color")
		if (err != nil) != (step.refused > 0) {
			t.Fatalf("%s: %v", step.name, err)
		}
		if err != nil {
			text = err.Error()
		}
		// Who planned to drain a server before the other attachment was seen has warned.
		warned, _ := counts(warning, text)
		_, refused := counts(refusal, text)
		if refused != step.refused || warned != step.warned && refused == 0 {
			t.Errorf("%s: %d warned of, want %d; %d refused, want %d\n%s", step.name, warned, step.warned, refused, step.refused, text)
		}
		if (warned+refused > 0) != strings.Contains(text, "  to   = stackpolicy_deletion_attachment.NEW_NAME\n") {
			t.Errorf("%s: no moved block to copy, or one too many\n%s", step.name, text)
		}
	}

	// Disabled, the attachments are destroyed without a warning, and the servers run on.
	for _, config := range []string{drained(c, "RegionOne", 12, "shutdown = true\n  enabled = false"), alone} {
		if err := w.Write(config); err != nil {
			t.Fatal(err)
		}
		text, err := w.Apply(t.Context())
		if err != nil || strings.Contains(text, "will be drained") {
			t.Errorf("disabled: %v\n%s", err, text)
		}
	}
	for name, s := range c.Servers(t) {
		if s.Status != "ACTIVE" {
			t.Errorf("%s is %s", name, s.Status)
		}
	}
}

// TestDeletionAttachment_region: a region that is unknown while planning, or
// corrected, changes in place: a replacement would drain a server that stays.
func TestDeletionAttachment_region(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	id := c.Boot(t, acctest.Server{Name: "0", Region: "RegionTwo"})[0]
	config := func(region, again string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"region\" {\n  input = \"RegionTwo\"\n  triggers_replace = %q\n}\nresource \"stackpolicy_deletion_attachment\" \"x\" {\n  server_id = %q\n  region = %s\n  shutdown = true\n}\n", again, id, region)
	}
	w := c.Workspace(t, config("terraform_data.region.output", "1"))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(config("terraform_data.region.output", "2")); err != nil {
		t.Fatal(err)
	}
	text, err := w.Apply(t.Context())
	if err != nil || !strings.Contains(text, "1 to add, 1 to change, 1 to destroy") || !strings.Contains(text, "1 added, 0 changed, 1 destroyed") || strings.Contains(text, "will be drained") {
		t.Errorf("unknown while planning: %v\n%s", err, text)
	}
	if err := w.Write(config(`"RegionOne"`, "2")); err != nil {
		t.Fatal(err)
	}
	if text, err = w.Apply(t.Context()); err == nil || !acctest.Says(`The region "RegionOne" has no server`).MatchString(strings.ReplaceAll(err.Error(), "│", "")) || strings.Contains(text, "will be drained") {
		t.Errorf("a region that does not have it: %v", err)
	}
	if err := w.Write(config(`"RegionTwo"`, "2")); err != nil {
		t.Fatal(err)
	}
	if text, err = w.Run(t.Context(), "plan", "-no-color", "-detailed-exitcode"); err != nil {
		t.Errorf("the state was not kept: %v\n%s", err, text)
	}
	if s := c.Servers(t)["0"]; s.Status != "ACTIVE" {
		t.Errorf("the server is %s", s.Status)
	}
}

// TestDeletionAttachment_expired: an apply that comes after the message expired
// posts it again, and destroys nothing before the consumer has deleted it.
func TestDeletionAttachment_expired(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	client := c.Zaqar(t, "RegionOne")
	config := func(n int) string {
		return drained(c, "RegionOne", n, "%s", hookBlock("zaqar", `queue = "leaving"`, "timeout = 1"))
	}
	w := c.Workspace(t, config(1))
	if _, err := w.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(config(0)); err != nil {
		t.Fatal(err)
	}
	abandoned := func(when string) {
		t.Helper()
		_, err := w.Apply(t.Context())
		if err == nil || !strings.Contains(err.Error(), "A lifecycle hook did not complete") || len(c.Servers(t)) != 1 || messageCount(t, client, "leaving") != 1 {
			t.Fatalf("%s: %v, servers %v, %d messages", when, err, c.Servers(t), messageCount(t, client, "leaving"))
		}
	}
	abandoned("first")
	c.Fake.Advance(2 * time.Hour)
	if n := messageCount(t, client, "leaving"); n != 0 {
		t.Fatalf("%d messages outlived their time", n)
	}
	expire(t, filepath.Join(w.Dir, "terraform.tfstate"))
	abandoned("after the message expired")
	c.Fake.TakeMessages(fakecloud.MemberProjectID, "leaving")
	if _, err := w.Apply(t.Context()); err != nil || len(c.Servers(t)) != 0 {
		t.Errorf("completed: %v, servers %v", err, c.Servers(t))
	}
}

// messageCount counts the messages in a queue.
func messageCount(t *testing.T, client *gophercloud.ServiceClient, queue string) int {
	t.Helper()
	stats, err := queues.GetStats(t.Context(), client, queue).Extract()
	if err != nil {
		t.Fatal(err)
	}
	return stats.Total
}

// expire sets the progress in a state back by two hours, as if they had passed.
func expire(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	text = regexp.MustCompile(`"private": "([^"]+)"`).ReplaceAllFunc(text, func(field []byte) []byte {
		encoded := strings.Split(string(field), `"`)[3]
		var private map[string][]byte
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil {
			err = json.Unmarshal(raw, &private)
		}
		if err != nil || private["progress"] == nil {
			return field
		}
		var progress map[string]any
		if err := json.Unmarshal(private["progress"], &progress); err != nil {
			t.Fatal(err)
		}
		expires, err := time.Parse(time.RFC3339, progress["expires"].(string))
		if err != nil {
			t.Fatal(err)
		}
		found = true
		progress["expires"] = expires.Add(-2 * time.Hour)
		private["progress"], _ = json.Marshal(progress)
		raw, _ = json.Marshal(private)
		return []byte(`"private": "` + base64.StdEncoding.EncodeToString(raw) + `"`)
	})
	if !found {
		t.Fatal("the state has no progress")
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDeletionAttachment_foreign404: a load balancer's page, in place of an
// answer, neither completes a hook nor says that a server is gone.
func TestDeletionAttachment_foreign404(t *testing.T) {
	t.Parallel()
	page := fakecloud.Fault{Method: http.MethodGet, Status: http.StatusNotFound, Times: fakecloud.Forever, Body: "<html><body>404</body></html>", Header: http.Header{"Content-Type": {"text/html"}}}
	for name, path := range map[string]string{"the message": "/queues/*/messages/*", "the server": "/servers/*"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := acctest.NewFake(t, fakecloud.Config{})
			config := func(count int) string {
				return drained(c, "RegionOne", count, "%s", hookBlock("zaqar", `queue = "leaving"`, "timeout = 2"))
			}
			w := c.Workspace(t, config(1))
			if _, err := w.Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.Write(config(0)); err != nil {
				t.Fatal(err)
			}
			fault := page
			fault.Path = path
			injected := c.Fake.Inject(fault)
			_, err := w.Run(t.Context(), "apply", "-auto-approve", "-no-color", "-refresh=false")
			if err == nil || injected.Fired() == 0 || len(c.Fake.Servers("RegionOne")) != 1 {
				t.Errorf("%v, %d faults, servers %v", err, injected.Fired(), c.Fake.Servers("RegionOne"))
			}
		})
	}
}

// TestDeletionAttachment_noZaqar: a region without Zaqar is a failure of the hook
// like others, and does not keep the attachment of a server that is gone.
func TestDeletionAttachment_noZaqar(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		"ABANDON":  `region "RegionOne" has no message endpoint in the catalogue`,
		"CONTINUE": "",
	} {
		t.Run(result, func(t *testing.T) {
			t.Parallel()
			c := acctest.NewFake(t, fakecloud.Config{})
			misled := c.ProviderBlock("stackpolicy", `endpoint_overrides = { messaging = "carrier-pigeons" }`)
			w := c.Workspace(t, misled+drained(c, "RegionOne", 1, "%s", block(`type = "zaqar"`, `queue = "leaving"`, fmt.Sprintf("default_result = %q", result))))
			if _, err := w.Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
			text, err := w.Destroy(t.Context())
			if want == "" {
				if err != nil || !strings.Contains(text, "The node was not drained in full") || len(c.Servers(t)) != 0 {
					t.Errorf("%v, servers %v\n%s", err, c.Servers(t), text)
				}
				return
			}
			if err == nil || !acctest.Says(want).MatchString(strings.ReplaceAll(err.Error(), "│", "")) || len(c.Servers(t)) != 1 {
				t.Errorf("%v, servers %v", err, c.Servers(t))
			}
			c.Kill(t, "RegionOne", c.Servers(t)["0"].ID)
			if _, err := w.Run(t.Context(), "destroy", "-auto-approve", "-no-color", "-refresh=false", "-target=stackpolicy_deletion_attachment.node"); err != nil {
				t.Errorf("a server that is gone: %v", err)
			}
		})
	}
}

// TestDeletionAttachment_command: a command drains the node while its server
// runs; without allow_commands the plan is refused.
func TestDeletionAttachment_command(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	log := filepath.Join(t.TempDir(), "drained")
	command := fmt.Sprintf("command = [\"/bin/sh\", \"-c\", \"echo $STACKPOLICY_NODE_NAME $STACKPOLICY_TRANSITION $OS_PASSWORD >>%s\"]", log)
	config := func(count int) string { return drained(c, "RegionOne", count, "%s", hookBlock("command", command)) }
	w := c.Workspace(t, config(1))
	if _, err := w.Run(t.Context(), "plan", "-no-color"); err == nil || !acctest.Says("commands are not allowed").MatchString(err.Error()) {
		t.Errorf("not allowed: %v", err)
	}
	allowed := c.ProviderBlock("stackpolicy", "allow_commands = true")
	for _, count := range []int{1, 0} {
		if err := w.Write(allowed + config(count)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(log)
	if want := c.Prefix + "0 termination\n"; err != nil || string(text) != want || len(c.Servers(t)) != 0 {
		t.Errorf("got %q, want %q, %v", text, want, err)
	}
}

// TestDeletionAttachment_badSettings: what is wrong with the settings of hooks is
// said at once, without the secret.
func TestDeletionAttachment_badSettings(t *testing.T) {
	t.Parallel()
	c := acctest.NewFake(t, fakecloud.Config{})
	for setting, want := range map[string]string{
		`webhook_secret = "too-short"`:       "The webhook secret, or STACKPOLICY_WEBHOOK_SECRET, cannot be used",
		`hook_cacert_file = "/nowhere/at"`:   "It is neither PEM text nor the path of a file that can be read",
		`hook_cacert_file = "-----BEGIN X-"`: "The webhooks' certificate authorities cannot be used",
	} {
		w := c.Workspace(t, c.ProviderBlock("stackpolicy", setting)+"data \"stackpolicy_cluster\" \"c\" {\n  name_regex = \"x\"\n}\n")
		_, err := w.Run(t.Context(), "plan", "-no-color")
		if err == nil || !acctest.Says(want).MatchString(strings.ReplaceAll(err.Error(), "│", "")) || strings.Contains(err.Error(), "too-short") {
			t.Errorf("%s: got %v", setting, err)
		}
	}
}

// TestAccDeletionAttachment_noted: a drain is noted in Nova before anything is
// done, without a readiness attachment too. With only_in_service a server without
// a mark is not drained, and one with a mark is.
func TestAccDeletionAttachment_noted(t *testing.T) {
	t.Parallel()
	c := acctest.New(t, fakecloud.Config{})
	region := c.Regions(t)[0]
	var seen []string // the metadata of a server while its hook runs
	consumer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		var message map[string]string
		if err := json.NewDecoder(req.Body).Decode(&message); err != nil {
			t.Error(err)
		}
		for _, s := range c.Servers(t) {
			if s.ID == message["node_id"] {
				_, noted := s.Metadata[openstack.DrainedKey]
				seen = append(seen, fmt.Sprintf("noted %t, mark %q", noted, s.Metadata[openstack.MarkKey]))
			}
		}
	}))
	defer consumer.Close()
	for _, step := range []struct {
		name, more, mark, want string
	}{
		{"without a mark", "", "", `noted true, mark ""`},
		{"with a mark", "", "7", `noted true, mark ""`},
		{"only in service, without a mark", "only_in_service = true", "", ""},
		{"only in service, with a mark", "only_in_service = true", "7-0f3a9c21", `noted true, mark ""`},
	} {
		config := func(n int) string {
			return drained(c, region, n, "%s\n  %s", step.more, hookBlock("webhook", fmt.Sprintf("url = %q", consumer.URL)))
		}
		w := c.Workspace(t, config(1))
		if _, err := w.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		if step.mark != "" {
			c.Mark(t, region, c.Servers(t)["0"].ID, openstack.MarkKey, step.mark)
		}
		seen = nil
		if _, err := w.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(seen, "; "); got != step.want || len(c.Servers(t)) != 0 {
			t.Errorf("%s: got %s, want %s; servers %v", step.name, got, step.want, c.Servers(t))
		}
	}
}
