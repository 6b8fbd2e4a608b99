// Package contract compares the fake cloud and a real one with the same facts: one table of requests, and of checks
// of the answers. By default it asks test/fakecloud; with STACKPOLICY_ACC=live it asks the cloud that OS_CLOUD or the
// OS_* variables name. If the two differ, the fake is wrong.
//
// Requests are made with net/http alone, so that the checks see statuses, bodies and headers, and not the
// interpretation of a client.
package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fact is a row of the table.
type fact struct {
	name string

	// ask is the request, in one line:
	//
	//	WHO [awaits] METHOD SERVICE[@VERSION] [HEADER:VALUE]... /PATH [BODY]
	//
	// The user is member, admin or nobody. With awaits the request is repeated until the fact holds. The services are
	// the keys of [cloud.urls]. A $name stands for a fact about the cloud, or a value that an earlier row kept.
	ask string

	code  int     // expected status
	holds []check // further checks
}

// are is the list of checks of a fact.
type are = []check

var askPattern = regexp.MustCompile(`(?s)^(\w+) (awaits )?([A-Z]+) ([a-z-]+)(?:@(\S+))?((?: [\w-]+:\S*)*) (\S+)(?: (.*))?$`)

// hold checks rows in their order, each as a test of its own.
func (c *cloud) hold(t *testing.T, facts []fact) {
	t.Helper()
	for _, f := range facts {
		t.Run(f.name, func(t *testing.T) { c.check(t, f) })
	}
}

func (c *cloud) check(t *testing.T, f fact) {
	t.Helper()
	words := askPattern.FindStringSubmatch(f.ask)
	require.NotNil(t, words, "not a request: %q", f.ask)
	if who := words[1]; who != "nobody" && c.vars[who+"_token"] == "" {
		t.Skipf("needs the login of the %s, and there is none", who)
	}
	ask := c.expand(f.ask)
	if len(c.unknown) > 0 {
		t.Skipf("needs what is not known here: %v", c.unknown)
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(c.patience) {
		a := c.send(t, ask)
		err := a.verify(f)
		if err == nil {
			return
		}
		if words[2] == "" || time.Now().After(end) {
			t.Fatalf("%s\n%v\nThe answer: %d %v\n%.2000s", ask, err, a.status, a.header, a.body)
		}
	}
}

// expand replaces names in a text, and remembers names that it does not know.
func (c *cloud) expand(text string) string {
	c.unknown = nil
	return os.Expand(text, func(name string) string {
		value, ok := c.vars[name]
		if !ok {
			c.unknown = append(c.unknown, name)
		}
		return value
	})
}

// send sends a request in the form of [fact], with nothing left to expand.
func (c *cloud) send(t *testing.T, ask string) *answer {
	t.Helper()
	words := askPattern.FindStringSubmatch(ask)
	who, method, service, version, headers, path, body := words[1], words[3], words[4], words[5], words[6], words[7], words[8]
	root, ok := c.urls[service]
	if !ok {
		t.Skipf("needs the service %s, and the cloud has none", service)
	}
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, root+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Accept", "application/json")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if version != "" {
		r.Header.Set("OpenStack-API-Version", map[string]string{"block-storage": "volume", "compute": "compute"}[service]+" "+version)
	}
	if token := c.vars[who+"_token"]; token != "" {
		r.Header.Set("X-Auth-Token", token)
	}
	for word := range strings.FieldsSeq(headers) {
		name, value, _ := strings.Cut(word, ":")
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	resp, err := c.client.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	a := &answer{cloud: c, status: resp.StatusCode, header: resp.Header}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(a.body, &a.doc) // nil if it is not JSON
	return a
}

// verify returns the first check that fails. The later ones are not made: a row that is repeated must keep a value
// for later rows only if all checks before it pass.
func (a *answer) verify(f fact) error {
	if a.status != f.code {
		return fmt.Errorf("the status is %d, want %d", a.status, f.code)
	}
	for _, c := range f.holds {
		if err := c(a); err != nil {
			return err
		}
	}
	return nil
}
