//go:build unix

package examples_test

import (
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackpolicy/terraform-provider-stackpolicy/test/acctest"
)

// life is a cluster of a module.
type life struct {
	example
	size    int                         // capacity
	known   atomic.Pointer[[]string]    // ids of the only servers that answer; nil means that all do
	watched map[string]*acctest.Watched // by region, on the fake cloud
}

// ServeHTTP is the health check of the nodes.
func (l *life) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for region := range l.watched {
		for _, s := range l.c.Fake.Servers(region) {
			known := l.known.Load()
			if s.Name == path.Base(r.URL.Path) && known != nil && !slices.Contains(*known, s.ID) {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}
	}
}

// set changes arguments of the module, as a reader would.
func (l *life) set(t *testing.T, arguments ...string) {
	t.Helper()
	text := read(t, filepath.Join(l.Dir, "main.tf"))
	for i := 0; i < len(arguments); i += 2 {
		line, given := "  "+arguments[i]+" = "+arguments[i+1]+"\n", regexp.MustCompile(`(?m)^ *`+arguments[i]+` *=.*\n`)
		if given.MatchString(text) {
			text = given.ReplaceAllLiteralString(text, line)
		} else {
			text = strings.Replace(text, "  cluster ", line+"  cluster ", 1)
		}
	}
	l.file(t, "main.tf", text)
}
