// Package links_test follows the links of the documentation.
package links_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	named   = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	// A file of this repository, by its address in the web.
	ours = regexp.MustCompile(`^https://(?:github\.com/stackpolicy/terraform-provider-stackpolicy/(?:blob|tree)|` +
		`raw\.githubusercontent\.com/stackpolicy/terraform-provider-stackpolicy)/main/([^#]+)`)
	registry    = regexp.MustCompile(`^https://registry\.terraform\.io/providers/stackpolicy/stackpolicy/`)
	notInAnchor = regexp.MustCompile(`[^\pL\pN _-]`)
)

// page is a file of Markdown.
type page struct {
	prose   string // without blocks of code
	anchors map[string]bool
}

func read(t *testing.T, file string) page {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	p := page{prose: fence.ReplaceAllString(string(content), ""), anchors: map[string]bool{}}
	for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
		anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		for again := 1; p.anchors[anchor]; again++ {
			anchor += "-" + strconv.Itoa(again)
		}
		p.anchors[anchor] = true
	}
	for _, m := range named.FindAllStringSubmatch(p.prose, -1) {
		p.anchors[m[1]] = true
	}
	return p
}

// pages are the files that people read on GitHub or in a registry.
func pages(t *testing.T) map[string]page {
	t.Helper()
	found := map[string]page{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".github" {
			return fs.SkipDir
		}
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" && !strings.Contains(name, "testdata/") {
			found[name] = read(t, name)
		}
		return err
	})
	require.NoError(t, err)
	return found
}

// TestLinks: each link within the repository leads to a file, and to a heading of it.
//
// Between pages of docs/ a link is relative and ends in .md. That form works on GitHub and in the Terraform Registry,
// which takes the ending off and keeps the reader in the version that he reads. Without the ending GitHub finds no
// file, and from the first page (which the registry serves without a slash at its end) the registry finds none either.
// What is not in docs/ is not in the registry, so a link to it needs its address in the web.
func TestLinks(t *testing.T) {
	all := pages(t)
	if len(all) < 50 {
		t.Fatalf("only %d pages were found", len(all))
	}
	count := 0
	for name, p := range all {
		inDocs := strings.HasPrefix(name, "docs/")
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(p.prose, ""), -1) {
			address := m[1]
			target, anchor, _ := strings.Cut(address, "#")
			switch file := ours.FindStringSubmatch(address); {
			case file != nil:
				target = file[1]
			case registry.MatchString(address) && inDocs:
				t.Errorf("%s: %s leaves the version that is read: link to the file", name, address)
				continue
			case strings.Contains(address, ":"):
				continue // another site
			case target == "":
				target = name
			default:
				target = path.Join(path.Dir(name), target)
				if inDocs && (!strings.HasPrefix(target, "docs/") || path.Ext(target) != ".md") {
					t.Errorf("%s: %s is not a page of docs/, which ends in .md", name, address)
				}
			}
			count++
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: %s leads to no file", name, address)
				continue
			}
			if other, ok := all[target]; anchor != "" && (!ok || !other.anchors[anchor]) {
				t.Errorf("%s: %s leads to no heading", name, address)
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d links were found", count)
	}
}

// TestProviders: who copies a configuration from a page finds there where its providers come from, or a link to it.
func TestProviders(t *testing.T) {
	count := 0
	for name := range pages(t) {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if text := string(content); strings.HasPrefix(name, "docs/") && strings.Contains(text, "\nresource \"") {
			count++
			assert.Contains(t, text, "required_providers", "%s has a configuration, and neither required_providers nor a link to them", name)
		}
	}
	if count < 20 {
		t.Errorf("only %d pages have a configuration", count)
	}
}
