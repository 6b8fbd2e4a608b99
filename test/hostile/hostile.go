// Package hostile answers requests in all the wrong ways of a service, of a proxy, or of an attacker in its place. It
// is a tool for tests: each way is an [http.Handler], for a fault of the fake cloud or for a server of its own.
package hostile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// Target is the expected kind of answer.
type Target struct {
	Status int    // status of a good answer; 0 means 200
	Around string // the answer with %s for Item, such as {"server_groups": [%s]}
	Item   string // one item, or the only one; %d, if it is there, makes each item different
}

// Good returns a good answer with one item.
func (t Target) Good() string { return fmt.Sprintf(t.Around, t.item(1)) }

func (t Target) item(i int) string {
	if strings.Contains(t.Item, "%d") {
		return fmt.Sprintf(t.Item, i)
	}
	return t.Item
}

func (t Target) status() int { return cmp.Or(t.Status, http.StatusOK) }

// Way is a wrong way to answer.
type Way struct {
	Name  string
	Large bool // reports whether the answer is large, or becomes large
	Slow  bool // reports whether it ends only when the client gives up
	Serve func(Target, http.ResponseWriter, *http.Request)
}

// Handler answers in this way instead of with a good answer.
func (way Way) Handler(t Target) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { way.Serve(t, w, r) })
}

// Escapes are characters with an effect on a terminal or in a log: they clear the screen, set its title, begin a line
// that a workflow reads as a command, change the direction of writing, or are invisible.
const Escapes = "\x1b[2J\x1b]0;owned\x07\r\n::error::owned\u202e\u200b\u2028\u0000\x7f\u009b31m"

// echo returns what a gateway in debug mode shows: the whole request.
func echo(r *http.Request) string {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var all strings.Builder
	fmt.Fprintf(&all, "%s %s\n", r.Method, r.URL)
	_ = r.Header.Write(&all)
	return all.String() + string(body)
}

func answer(w http.ResponseWriter, media string, status int, body string) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Retry-After", "0")
	w.Header().Set("X-Subject-Token", "token-of-a-hostile-keystone")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

const jsonType = "application/json"

// packed is an answer in gzip, so that a few KiB on the wire become many MiB. It is compressed once, because
// compressing it for each request would take most of the time of a test.
func packed(t Target, way string, w http.ResponseWriter, write func(io.Writer)) {
	w.Header().Set("Content-Encoding", "gzip")
	answer(w, jsonType, t.status(), "")
	kept, _ := packs.LoadOrStore(fmt.Sprintf("%s %+v", way, t), sync.OnceValue(func() []byte {
		var all bytes.Buffer
		z, _ := gzip.NewWriterLevel(&all, gzip.BestSpeed)
		write(z)
		_ = z.Close()
		return all.Bytes()
	}))
	_, _ = w.Write(kept.(func() []byte)())
}

var (
	packs sync.Map
	pages atomic.Int64
)

// repeated writes a text n times, unless the client is gone.
func repeated(w io.Writer, s string, n int) {
	const at = 1 << 16
	chunk := strings.Repeat(s, max(1, at/len(s)))
	for n > 0 {
		count := min(n, len(chunk)/len(s))
		if _, err := io.WriteString(w, chunk[:count*len(s)]); err != nil {
			return
		}
		n -= count
	}
}

// filled is a way that writes something in place of the items, compressed, so that a few KiB on the wire are many
// MiB.
func filled(name string, write func(Target, io.Writer)) Way {
	return Way{Name: name, Large: true, Serve: func(t Target, w http.ResponseWriter, _ *http.Request) {
		packed(t, name, w, func(to io.Writer) {
			before, after, _ := strings.Cut(t.Around, "%s")
			_, _ = io.WriteString(to, before)
			write(t, to)
			_, _ = io.WriteString(to, after)
		})
	}}
}

// stuffed fills the answer with a text again and again.
func stuffed(name, s string, size int) Way {
	return filled(fmt.Sprintf("%d KiB of %s", size>>10, name), func(t Target, to io.Writer) {
		repeated(to, s, size/len(s))
		_, _ = io.WriteString(to, t.item(0))
	})
}

// items fills the answer with n good items, each different.
func items(n int) Way {
	return filled(fmt.Sprintf("%d good items", n), func(t Target, to io.Writer) {
		for i := range n {
			_, _ = io.WriteString(to, t.item(i)+",")
		}
		_, _ = io.WriteString(to, t.item(n))
	})
}

// page returns a page of a list, with links to another one.
func (t Target) page(items string) string {
	next, _ := json.Marshal(map[string]any{
		"links":             map[string]string{"next": fmt.Sprintf("?page=%d", pages.Add(1))},
		"servers_links":     []any{map[string]string{"rel": "next"}},
		"hypervisors_links": []any{map[string]string{"rel": "next"}},
		"members_links":     []any{map[string]string{"rel": "next"}},
	})
	return strings.TrimSuffix(fmt.Sprintf(t.Around, items), "}") + "," + strings.TrimPrefix(string(next), "{")
}

var ids = regexp.MustCompile(`("id":"[^"]*)~~`)

// heavy is a way that returns pages of a size, 512 MiB in total. Every text on them is new, and every text except ids
// and times has a length, if the page has room for it.
func heavy(size, length int) Way {
	var sent atomic.Int64
	return Way{
		Name:  fmt.Sprintf("texts of %d bytes on many pages of %d KiB", length, size>>10),
		Large: true,
		Serve: func(t Target, w http.ResponseWriter, _ *http.Request) {
			const mark = "~~"
			item := strings.ReplaceAll(Dirty(t.item(0), mark), "Z"+mark, "Z")
			if short := ids.ReplaceAllString(item, "$1~id~"); strings.Contains(short, mark) {
				item = short
			}
			texts := max(1, strings.Count(item, mark))
			padding := strings.Repeat("x", min(length, size/texts))
			items := make([]string, max(1, size/len(padding)/texts))
			for i := range items {
				number := fmt.Sprintf("-%d", pages.Add(1))
				items[i] = strings.NewReplacer(mark, number+"-"+padding, "~id~", number).Replace(item)
			}
			page := t.page(strings.Join(items, ","))
			if sent.Add(int64(size)) > 512<<20 {
				page = fmt.Sprintf(t.Around, "")
			}
			w.Header().Set("Content-Encoding", "gzip")
			answer(w, jsonType, t.status(), "")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			_, _ = io.WriteString(z, page)
			_ = z.Close()
		},
	}
}

func way(name string, serve func(Target, http.ResponseWriter, *http.Request)) Way {
	return Way{Name: name, Serve: serve}
}

// status is a way that answers with a status, and a body that repeats the request.
func status(code int) Way {
	return Way{
		Name: fmt.Sprintf("%d with the request in its body", code),
		Serve: func(_ Target, w http.ResponseWriter, r *http.Request) {
			answer(w, jsonType, code, `{"debug": `+quoted(echo(r))+`}`)
		},
	}
}

// other is a way that answers with the good status and another body.
func other(name string, body func(Target, *http.Request) string) Way {
	return Way{Name: name, Serve: func(t Target, w http.ResponseWriter, r *http.Request) {
		answer(w, jsonType, t.status(), body(t, r))
	}}
}

// text is a way whose body is always the same.
func text(name, body string) Way {
	return other(name, func(Target, *http.Request) string { return body })
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // encoding a string never fails
	return string(text)
}

// abort closes the connection in the middle of an answer.
func abort(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
