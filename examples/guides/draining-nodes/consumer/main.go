// Command consumer drains nodes that stackpolicy_deletion_attachment announces
// by webhook: for each it runs a command, which knows the node from NODE_ID,
// NODE_NAME, REGION, CLUSTER and TRANSITION (termination, or launch for one that
// stackpolicy_readiness_attachment announces) in its environment. The node is
// drained, or in service, when the command ends with 0.
//
// It takes only requests that are signed with the secret in WEBHOOK_SECRET.
//
//	WEBHOOK_SECRET=... consumer 127.0.0.1:8080 ./drain.sh
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// message is what is posted.
type message struct {
	Token      string `json:"lifecycle_action_token"`
	Transition string `json:"lifecycle_transition_type"`
	NodeID     string `json:"node_id"`
	Name       string `json:"node_name"`
	Region     string `json:"region"`
	Cluster    string `json:"cluster"`
}

type consumer struct {
	command  string
	verifier *standardwebhooks.Webhook
	mu       sync.Mutex
	answers  map[string]int // by token: what to answer who asks
}

// ServeHTTP takes a message by POST and begins to drain the node. It answers
// 202 until that is done; Terraform asks again by GET. A message that comes
// again has the same token, and begins nothing while the first still goes on.
func (c *consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	// The signature covers the id, the time (five minutes at most) and the body,
	// which is empty in a GET.
	if err := c.verifier.Verify(body, r.Header); err != nil {
		http.Error(w, "not signed by us", http.StatusUnauthorized)
		return
	}
	token := r.Header.Get("Webhook-Id") // signed, unlike the query
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == http.MethodPost {
		var m message
		if err := json.Unmarshal(body, &m); err != nil || m.Token == "" || m.Token != token {
			http.Error(w, "not a message of a lifecycle hook", http.StatusBadRequest)
			return
		}
		if was := c.answers[token]; was != http.StatusAccepted && was != http.StatusOK {
			c.answers[token] = http.StatusAccepted
			go c.drain(m)
		}
	}
	if answer, known := c.answers[token]; known {
		w.WriteHeader(answer)
		return
	}
	http.NotFound(w, r) // a consumer that was restarted: the next apply posts again
}

// drain runs the command. One that fails is answered with 409, which no client
// asks again: the hook's default_result then says what happens to the node.
func (c *consumer) drain(m message) {
	command := exec.CommandContext(context.Background(), c.command)
	command.Env = append(os.Environ(), "NODE_ID="+m.NodeID, "NODE_NAME="+m.Name, "REGION="+m.Region, "CLUSTER="+m.Cluster, "TRANSITION="+m.Transition)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	answer := http.StatusOK
	if err := command.Run(); err != nil {
		log.Printf("%q (%q): %v", m.Name, m.NodeID, err)
		answer = http.StatusConflict
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[m.Token] = answer
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: consumer ADDRESS COMMAND")
	}
	verifier, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil || os.Getenv("WEBHOOK_SECRET") == "" {
		log.Fatal("WEBHOOK_SECRET must be the secret of the provider block, in base64")
	}
	server := &http.Server{
		Addr:              os.Args[1],
		Handler:           &consumer{command: os.Args[2], verifier: verifier, answers: map[string]int{}},
		ReadHeaderTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
