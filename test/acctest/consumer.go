package acctest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Consumer is a consumer of webhooks, which answers 202 to each node for a time. Its fields may be used while no
// request is under way.
type Consumer struct {
	mu    sync.Mutex
	takes time.Duration
	since map[string]time.Time         // by token
	Nodes map[string]map[string]string // first message, by token
	Posts int
}

func (d *Consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	token := r.URL.Query().Get("lifecycle_action_token")
	if r.Method == http.MethodPost {
		var message map[string]string
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		d.Posts++
		token = message["lifecycle_action_token"]
		if _, again := d.since[token]; !again {
			d.since[token], d.Nodes[token] = time.Now(), message
		}
	}
	if since, known := d.since[token]; !known {
		w.WriteHeader(http.StatusNotFound)
	} else if time.Since(since) < d.takes {
		w.WriteHeader(http.StatusAccepted)
	}
}

// StartConsumer returns a consumer, and its address.
func StartConsumer(t testing.TB, takes time.Duration) (*Consumer, string) {
	t.Helper()
	d := &Consumer{takes: takes, since: map[string]time.Time{}, Nodes: map[string]map[string]string{}}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	return d, server.URL
}
