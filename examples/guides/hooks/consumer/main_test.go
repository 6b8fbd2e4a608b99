package main

import (
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRepeatedRequest: a recorded request that is sent again begins no drain: not after success, not after a failure,
// and not after a restart. A new request does after a failure.
func TestRepeatedRequest(t *testing.T) {
	dir := t.TempDir()
	script, runs := filepath.Join(dir, "drain.sh"), filepath.Join(dir, "runs")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho run >>'"+runs+"'\ntest \"$NODE_NAME\" != web-1\n"),
		0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	verifier, err := standardwebhooks.NewWebhook("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	start := func() *consumer {
		t.Helper()
		c, err := open(filepath.Join(dir, "drained.log"), script, verifier)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.file.Close() })
		return c
	}
	send := func(c *consumer, name string, signed time.Time) int {
		t.Helper()
		body := `{"lifecycle_action_token": "token-of-` + name + `", "node_name": "` + name + `"}`
		signature, err := verifier.Sign("token-of-"+name, signed, []byte(body))
		require.NoError(t, err)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Webhook-Id", "token-of-"+name)
		r.Header.Set("Webhook-Timestamp", strconv.FormatInt(signed.Unix(), 10))
		r.Header.Set("Webhook-Signature", signature)
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		return w.Code
	}
	// ended returns the answer once the command has ended.
	ended := func(c *consumer, name string, signed time.Time) int {
		for {
			if code := send(c, name, signed); code != http.StatusAccepted {
				return code
			}
			time.Sleep(time.Millisecond)
		}
	}
	ran := func(want int) {
		t.Helper()
		text, _ := os.ReadFile(runs)
		assert.Equal(t, want, strings.Count(string(text), "run"), "how often the command ran")
	}
	first, second := time.Now().Add(-time.Minute), time.Now()
	c := start()
	for range 2 {
		assert.Equal(t, http.StatusOK, ended(c, "web-0", first), "a node that can be drained")
		ran(1)
		c = start()
	}
	for range 2 {
		assert.Equal(t, http.StatusConflict, ended(c, "web-1", first), "a node that cannot be drained")
		ran(2)
		c = start()
	}
	assert.Equal(t, http.StatusConflict, ended(c, "web-1", second), "the next apply")
	ran(3)
	assert.Equal(t, http.StatusOK, ended(start(), "web-0", second), "a node that was drained")
	ran(3)

	// A drain that was under way when the process ended is not known until its message is posted again.
	require.NoError(t, c.note("token-of-web-2", job{first.Unix(), http.StatusAccepted}))
	c = start()
	assert.Equal(t, http.StatusNotFound, ended(c, "web-2", first), "a recorded request after a restart")
	ran(3)
	assert.Equal(t, http.StatusOK, ended(c, "web-2", second), "a node whose drain did not end")
	ran(4)
}

// TestSecretStays: the command does not get the secret, and the log says which check a request failed; the sender
// learns only that it was refused.
func TestSecretStays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("WEBHOOK_SECRET", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	script, environment := filepath.Join(dir, "drain.sh"), filepath.Join(dir, "environment")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nenv >'"+environment+"'\n"), 0o700)) //nolint:gosec // it is a program
	verifier, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	require.NoError(t, err)
	c, err := open(filepath.Join(dir, "drained.log"), script, verifier)
	require.NoError(t, err)
	defer c.file.Close()
	c.drain(message{Token: "t", Name: "web-0"}, 0)
	got, err := os.ReadFile(environment)
	require.NoError(t, err)
	assert.Contains(t, string(got), "NODE_NAME=web-0")
	assert.NotContains(t, string(got), "WEBHOOK_SECRET")
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	for header, want := range map[string]string{"": "missing required headers", "Webhook-Signature": "no matching signature"} {
		logged.Reset()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{}"))
		if header != "" {
			r.Header.Set("Webhook-Id", "id")
			r.Header.Set("Webhook-Timestamp", strconv.FormatInt(time.Now().Unix(), 10))
			r.Header.Set(header, "v1,AAAA")
		}
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		assert.Equal(t, http.StatusUnauthorized, w.Code)
		assert.Equal(t, "not signed by us\n", w.Body.String())
		assert.Contains(t, logged.String(), want)
	}
}
