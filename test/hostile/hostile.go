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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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

// Ways lists all ways, in the order of what is wrong: status, form, size, time, content.
func Ways() []Way { return slices.Concat(statuses(), forms(), sizes(), times(), contents()) }

func statuses() (ways []Way) {
	for _, code := range []int{
		200, 201, 202, 203, 204, 206, 226, 299, 300, 304,
		400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 599,
	} {
		ways = append(ways, status(code))
	}
	return append(
		ways,
		way("a redirect elsewhere", func(_ Target, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere.invalid/")
			answer(w, jsonType, http.StatusTemporaryRedirect, "")
		}),
		way("a redirect to itself", func(_ Target, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", r.URL.String())
			answer(w, jsonType, http.StatusTemporaryRedirect, "")
		}),
		way("a page of HTML that repeats the request", func(t Target, w http.ResponseWriter, r *http.Request) {
			answer(w, "text/html", t.status(), "<html>"+strings.Repeat(" ", 170)+echo(r))
		}),
		way("an error that repeats the request often", func(_ Target, w http.ResponseWriter, r *http.Request) {
			answer(w, "text/plain", http.StatusInternalServerError, strings.Repeat(echo(r), 2000))
		}),
		way("an error with the token again and again", func(_ Target, w http.ResponseWriter, r *http.Request) {
			secret := cmp.Or(r.Header.Get("X-Auth-Token"), echo(r))
			answer(w, "text/plain", http.StatusBadRequest, strings.Repeat(secret, 1+(65<<10)/len(secret)))
		}),
	)
}

func forms() []Way {
	return []Way{
		text("no body", ""),
		text("null", "null"),
		text("a list", "[]"),
		text("a number", "12345"),
		text("a string", `"a string"`),
		text("an empty object", "{}"),
		text("another object", `{"fault": {"code": 200}}`),
		way("plain text", func(t Target, w http.ResponseWriter, _ *http.Request) {
			answer(w, "text/plain", t.status(), "OK")
		}),
		text("no JSON", "{'a': 1}"),
		text("two answers", "{} {}"),
		other("half of the answer", func(t Target, _ *http.Request) string { return t.Good()[:len(t.Good())/2] }),
		way("half of the answer, and the connection closed", func(t Target, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(t.Good())))
			answer(w, jsonType, t.status(), t.Good()[:len(t.Good())/2])
			abort(w)
		}),
		way("a length of 4 GiB", func(t Target, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(int64(1)<<32))
			answer(w, jsonType, t.status(), t.Good())
			abort(w)
		}),
		way("a closed connection", func(Target, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		way("headers of 2 MiB", func(t Target, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Junk", strings.Repeat("x", 2<<20))
			answer(w, jsonType, t.status(), t.Good())
		}),
	}
}

func sizes() []Way {
	return []Way{
		items(5_000),
		items(150_000),
		{Name: "an endless string", Large: true, Serve: func(t Target, w http.ResponseWriter, _ *http.Request) {
			answer(w, jsonType, t.status(), `{"a": "`)
			repeated(w, "x", 1<<31-1) // the largest count if an int has 32 bits
		}},
		way("deep lists", func(t Target, w http.ResponseWriter, _ *http.Request) {
			answer(w, jsonType, t.status(), fmt.Sprintf(t.Around, strings.Repeat("[", 9000)+strings.Repeat("]", 9000)))
		}),
		stuffed("empty lists", "[],", 120<<20),
		stuffed("empty lists", "[],", 20<<20),
		stuffed("empty objects", "{},", 20<<20),
		stuffed("empty objects", "{},", 250<<10),
		stuffed("small objects", `{"a":{}},`, 900<<10),
		stuffed("small objects", `{"a":{}},`, 20<<20),
		stuffed("numbers", "0,", 20<<20),
		stuffed("blanks", " ", 120<<20),
		stuffed("empty strings", `"",`, 20<<20),
		stuffed("escapes", `"\u202e",`, 20<<20),
		stuffed("long strings with escapes", `"`+strings.Repeat(`\u202e`, 5000)+`",`, 20<<20),
		{Name: "a million names", Large: true, Serve: func(t Target, w http.ResponseWriter, _ *http.Request) {
			packed(t, "names", w, func(to io.Writer) {
				before, after, _ := strings.Cut(t.Good(), "{")
				_, _ = io.WriteString(to, before+"{")
				for i := range 1_000_000 {
					_, _ = fmt.Fprintf(to, `"n%d": {},`, i)
				}
				_, _ = io.WriteString(to, after)
			})
		}},
		other("another item on each page for ever", func(t Target, _ *http.Request) string {
			return t.page(t.item(int(pages.Add(1))))
		}),
		heavy(22<<20, 22<<20),
		heavy(22<<20, 250<<10),
		heavy(3<<20, 250<<10),
		heavy(3<<20, 4_000),
		heavy(3<<20, 200),
	}
}

func times() []Way {
	return []Way{
		{Name: "nothing for ever", Slow: true, Serve: func(_ Target, _ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}},
		{Name: "a byte at a time", Slow: true, Serve: func(t Target, w http.ResponseWriter, r *http.Request) {
			answer(w, jsonType, t.status(), "{")
			for tick := time.Tick(10 * time.Millisecond); r.Context().Err() == nil; <-tick {
				if _, err := io.WriteString(w, " "); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
			}
		}},
	}
}

func contents() []Way {
	return []Way{
		other("escapes in every string", func(t Target, _ *http.Request) string { return Dirty(t.Good(), Escapes) }),
		other("the token in every string", func(t Target, r *http.Request) string { return Dirty(t.Good(), echo(r)) }),
		other("no UTF-8", func(t Target, _ *http.Request) string {
			return strings.ReplaceAll(t.Good(), `e`, "\xff\xfe")
		}),
		way("each number a string", func(t Target, w http.ResponseWriter, _ *http.Request) {
			answer(w, jsonType, t.status(), strings.NewReplacer("1", `"x"`, "true", `"yes"`).Replace(t.Good()))
		}),
		way("each string a list", func(t Target, w http.ResponseWriter, _ *http.Request) {
			answer(w, jsonType, t.status(), strings.ReplaceAll(t.Good(), `": "`, `": ["x"], "y": "`))
		}),
	}
}
