// Command consumer drains nodes that stackpolicy_deletion_attachment announces by webhook. It runs a command for each
// node, with NODE_ID, NODE_NAME, REGION, CLUSTER and TRANSITION (termination, or launch for a node that
// stackpolicy_readiness_attachment announces) in its environment. The node is drained, or in service, when the
// command ends with 0.
//
// It accepts only requests that are signed with the secret in WEBHOOK_SECRET, and keeps its jobs in a file: a
// recorded request that somebody sends again drains nothing a second time, even after a restart.
//
//	WEBHOOK_SECRET=... consumer 127.0.0.1:8080 ./drain.sh drained.log
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// message is the body of a webhook.
type message struct {
	Token      string `json:"lifecycle_action_token"`
	Transition string `json:"lifecycle_transition_type"`
	NodeID     string `json:"node_id"`
	Name       string `json:"node_name"`
	Region     string `json:"region"`
	Cluster    string `json:"cluster"`
}

// job is the state of a token's drain.
type job struct {
	began  int64 // signed time of the message that began it
	answer int   // status of the answer to later requests
}

type consumer struct {
	command  string
	verifier *standardwebhooks.Webhook
	mu       sync.Mutex
	jobs     map[string]job // by token
	file     *os.File       // has a line for each job that began or ended
}

// open reads the jobs of an earlier process. A drain that was under way ended with that process, and a request for it
// gets 404: then its message is posted again, with a newer time.
func open(name, command string, verifier *standardwebhooks.Webhook) (*consumer, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	c := &consumer{command: command, verifier: verifier, jobs: map[string]job{}, file: file}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var token string
		var j job
		if _, err := fmt.Sscanf(lines.Text(), "%q %d %d", &token, &j.began, &j.answer); err != nil {
			continue // a line that broke off when the machine stopped
		}
		if j.answer == http.StatusAccepted {
			j.answer = http.StatusNotFound
		}
		c.jobs[token] = j
	}
	return c, lines.Err()
}

// note keeps a job, on disk first.
func (c *consumer) note(token string, j job) error {
	_, err := fmt.Fprintf(c.file, "\n%q %d %d\n", token, j.began, j.answer)
	if err := errors.Join(err, c.file.Sync()); err != nil {
		return err
	}
	c.jobs[token] = j
	return nil
}

// ServeHTTP receives a message by POST and begins to drain the node. It answers 202 until that is done; Terraform
// asks again by GET. A message that is sent again has the same token. It begins nothing while the first drain runs,
// or after it has succeeded. After a failure it begins another drain if it was signed later: a new apply signs it
// again, and somebody who repeats a recorded request cannot.
func (c *consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	// The signature covers the id, the time (five minutes at most) and the body, which is empty in a GET. Our log
	// says which check failed, and the sender does not learn it.
	if err := c.verifier.Verify(body, r.Header); err != nil {
		log.Printf("refused %s from %s with the id %q and the time %q: %v",
			r.Method, r.RemoteAddr, r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), err)
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
		signed, _ := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64) // it was verified
		was, known := c.jobs[token]
		ended := was.answer == http.StatusConflict || was.answer == http.StatusNotFound
		if !known || (ended && signed > was.began) {
			if err := c.note(token, job{signed, http.StatusAccepted}); err != nil {
				log.Print(err)
				http.Error(w, "cannot remember this", http.StatusServiceUnavailable)
				return
			}
			go c.drain(m, signed)
		}
	}
	if job, known := c.jobs[token]; known {
		w.WriteHeader(job.answer)
		return
	}
	http.NotFound(w, r)
}

// drain runs the command. After a failure the answer is 409, which no client asks again: the hook's default_result
// then says what happens to the node.
func (c *consumer) drain(m message, began int64) {
	command := exec.CommandContext(context.Background(), c.command)
	// The command does not need the secret, and the programs that it starts may print their environment.
	command.Env = slices.DeleteFunc(os.Environ(),
		func(v string) bool { return strings.HasPrefix(v, "WEBHOOK_SECRET=") })
	command.Env = append(command.Env, "NODE_ID="+m.NodeID, "NODE_NAME="+m.Name, "REGION="+m.Region,
		"CLUSTER="+m.Cluster, "TRANSITION="+m.Transition)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	answer := http.StatusOK
	if err := command.Run(); err != nil {
		log.Printf("%q (%q): %v", m.Name, m.NodeID, err)
		answer = http.StatusConflict
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.note(m.Token, job{began, answer}); err != nil {
		log.Print(err)
	}
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: consumer ADDRESS COMMAND FILE")
	}
	verifier, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil || os.Getenv("WEBHOOK_SECRET") == "" {
		log.Fatal("WEBHOOK_SECRET must be the secret of the provider block, in base64")
	}
	c, err := open(os.Args[3], os.Args[2], verifier)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              os.Args[1],
		Handler:           c,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second, // a slow body must not hold a connection
	}
	log.Fatal(server.ListenAndServe())
}
