package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
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
