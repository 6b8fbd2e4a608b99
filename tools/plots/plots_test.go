package main

import (
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDrift fails where assets/ has something else than is drawn now.
func TestDrift(t *testing.T) {
	const top = "../.."
	dir := t.TempDir()
	if err := write(dir, top); err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		now, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		was, err := os.ReadFile(filepath.Join(top, "assets", file.Name()))
		if err != nil || string(was) != string(now) {
			t.Errorf("assets/%s is out of date, run make plots (%v)", file.Name(), err)
		}
	}
}

// TestWellFormed reads all pictures, those drawn by hand too.
func TestWellFormed(t *testing.T) {
	files, err := filepath.Glob("../../assets/*.svg")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoder := xml.NewDecoder(strings.NewReader(string(text)))
		for err == nil {
			_, err = decoder.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestNothingOverflows: texts end inside the picture, and one
// that does not fit into its span is refused.
func TestNothingOverflows(t *testing.T) {
	for name, draw := range map[string]func() (string, error){"drain": drain, "batch": batch, "dataflow": loop, "leaves": leaves} {
		picture, err := draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		texts := regexp.MustCompile(`<text class="([^"]*)" x="([0-9.]+)"[^>]*>([^<]*)<`).FindAllStringSubmatch(picture, -1)
		if len(texts) < 8 {
			t.Errorf("%s has %d texts", name, len(texts))
		}
		for _, text := range texts {
			x, err := strconv.ParseFloat(text[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			width := textWidth(html.UnescapeString(text[3]), 13)
			if strings.Contains(text[1], "small") {
				width = textWidth(html.UnescapeString(text[3]), 11)
			}
			if strings.Contains(text[1], "mid") {
				x -= width / 2
			}
			if x < 5 || x+width > 895 {
				t.Errorf("%s: %q is drawn from %.0f to %.0f", name, text[3], x, x+width)
			}
		}
	}
	long := []lane{{"server", []span{{0, 1, "a text that is much too long", working}}}}
	if _, err := timeline("", "", 12, long, nil); err == nil {
		t.Error("a text that does not fit was drawn")
	}
}
