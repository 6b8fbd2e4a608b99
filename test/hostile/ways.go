package hostile

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

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
