package main

import (
	"cmp"
	"encoding/xml"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const top = "../.."

// TestDrift fails if assets/ differs from what is drawn now.
func TestDrift(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, write(dir, top))
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		now, err := os.ReadFile(filepath.Join(dir, file.Name()))
		require.NoError(t, err)
		was, err := os.ReadFile(filepath.Join(top, "assets", file.Name()))
		assert.True(t, err == nil && string(was) == string(now), "assets/%s is out of date, run make plots (%v)", file.Name(), err)
	}
}

// TestTable: the table of CONTRIBUTING has the imports of each package.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	require.NoError(t, err)
	said := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `internal/([\\w/]+)` \\|.*\\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		said[row[1]] = strings.TrimPrefix(row[2], "gophercloud, ")
	}
	arrows, err := imports(top)
	require.NoError(t, err)
	for name, uses := range arrows {
		want := cmp.Or(strings.Join(uses, ", "), "the standard library")
		if !strings.HasPrefix(name, "provider") && said[name] != want {
			t.Errorf("internal/%s uses %s, and CONTRIBUTING says %q", name, want, said[name])
		}
	}
}

// pictures reads all pictures, also those that were drawn by hand.
func pictures(t *testing.T) map[string]string {
	files, err := filepath.Glob(filepath.Join(top, "assets/*.svg"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

func TestWellFormed(t *testing.T) {
	for name, picture := range pictures(t) {
		decoder := xml.NewDecoder(strings.NewReader(picture))
		var err error
		for err == nil {
			_, err = decoder.Token()
		}
		assert.ErrorIs(t, err, io.EOF, name)
	}
}

// TestNothingOverflows: texts end inside their picture, even in a wide font.
func TestNothingOverflows(t *testing.T) {
	size := regexp.MustCompile(`viewBox="0 0 ([0-9.]+) `)
	label := regexp.MustCompile(`<text class="([^"]*)" x="([0-9.]+)"([^>]*)>([^<]*)<`)
	for name, picture := range pictures(t) {
		width := number(t, size.FindStringSubmatch(picture)[1])
		labels := label.FindAllStringSubmatch(picture, -1)
		assert.GreaterOrEqual(t, len(labels), 8, "texts of %s", name)
		for _, l := range labels {
			class, from, text := l[1], number(t, l[2]), html.UnescapeString(l[4])
			long := 0.6 * 13 * float64(utf8.RuneCountInString(text))
			if strings.Contains(class, "small") {
				long *= 11. / 13
			}
			switch {
			case strings.Contains(class, "mid"):
				from -= long / 2
			case strings.Contains(class+l[3], "end"):
				from -= long
			}
			if from < 0 || from+long > width {
				t.Errorf("%s: %q is drawn from %.0f to %.0f of %.0f", name, text, from, from+long, width)
			}
		}
	}
}

func number(t *testing.T, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return n
}
